import { describe, expect, test } from "vitest";
import { aHostedCluster, payload } from "./fixtures.ts";
import { controlPlaneNamespace, readHostedCluster } from "./hosted-cluster.ts";

const digest = `sha256:${"d".repeat(64)}`;

describe("controlPlaneNamespace", () => {
  test.for([
    ["clusters", "shop", "clusters-shop"],
    ["clusters", "shop.eu.west", "clusters-shop-eu-west"],
    ["my.clusters", "shop", "my.clusters-shop"],
  ] as const)("When %s/%s is hosted, its control plane should be in %s", ([namespace, name, expected]) => {
    expect(controlPlaneNamespace(namespace, name)).toBe(expected);
  });
});

describe("readHostedCluster", () => {
  test("When everything is written, it should be read", () => {
    const conditions = [{ type: "Available", status: "True" }];
    const object = aHostedCluster({
      name: "shop.eu",
      annotations: { note: "x" },
      spec: {
        controlPlaneRelease: { image: "quay.io/ns/release:4.21.0" },
        capabilities: { disabled: ["ImageRegistry"] },
        imageContentSources: [{ source: "quay.io/ns", mirrors: ["m.lan/ns"] }, { source: "quay.io/other" }],
        olmCatalogPlacement: "guest",
        configuration: { operatorhub: { disableAllDefaultSources: true } },
        pausedUntil: "true",
      },
      status: { conditions },
    });
    expect(readHostedCluster(object)).toEqual({
      cluster: {
        object,
        namespace: "clusters",
        name: "shop.eu",
        controlPlaneNamespace: "clusters-shop-eu",
        releaseImage: payload,
        controlPlaneReleaseImage: "quay.io/ns/release:4.21.0",
        version: "4.20.4",
        annotations: { note: "x" },
        capabilities: { disabled: ["ImageRegistry"] },
        imageContentSources: [
          { source: "quay.io/ns", mirrors: ["m.lan/ns"] },
          { source: "quay.io/other", mirrors: [] },
        ],
        olmCatalogPlacement: "guest",
        disablesDefaultCatalogs: true,
        pausedUntil: "true",
        conditions,
      },
      issues: [],
    });
  });

  test("When only the release is written, everything else should have its default", () => {
    const { namespace: _, ...metadata } = aHostedCluster().metadata;
    const { cluster, issues } = readHostedCluster({ ...aHostedCluster(), metadata });
    expect(cluster).toMatchObject({
      namespace: "default",
      controlPlaneNamespace: "default-shop",
      controlPlaneReleaseImage: undefined,
      annotations: {},
      capabilities: undefined,
      imageContentSources: [],
      olmCatalogPlacement: "management",
      disablesDefaultCatalogs: false,
      pausedUntil: undefined,
      conditions: [],
    });
    expect(issues).toEqual([]);
  });

  test.for([
    { path: "spec", fields: { spec: "x" } },
    { path: "spec.release", fields: { release: [] } },
    { path: "spec.release.image", fields: { release: { image: 4 } } },
    { path: "spec.controlPlaneRelease.image", fields: { controlPlaneRelease: { image: 4 } } },
    { path: "spec.imageContentSources", fields: { imageContentSources: {} } },
    { path: "spec.imageContentSources[1]", fields: { imageContentSources: [{ source: "a.io" }, "b.io"] } },
    { path: "spec.imageContentSources[0].source", fields: { imageContentSources: [{ source: 1 }] } },
    { path: "spec.imageContentSources[0].mirrors", fields: { imageContentSources: [{ mirrors: [1] }] } },
    { path: "spec.olmCatalogPlacement", fields: { olmCatalogPlacement: "both" } },
    { path: "spec.configuration", fields: { configuration: 1 } },
    { path: "spec.configuration.operatorhub", fields: { configuration: { operatorhub: "off" } } },
    { path: "spec.pausedUntil", fields: { pausedUntil: true } },
  ])("When $path has the wrong type, it should be told and the rest be read", ({ path, fields }) => {
    const object = aHostedCluster({ spec: fields });
    const { cluster, issues } = readHostedCluster("spec" in fields ? { ...object, ...fields } : object);
    expect(cluster.controlPlaneNamespace).toBe("clusters-shop");
    expect(issues).toContainEqual(
      expect.objectContaining({
        code: "InvalidType",
        severity: "error",
        path,
        object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
      }),
    );
  });

  test("When the conditions are no list, it should be told", () => {
    const { cluster, issues } = readHostedCluster(aHostedCluster({ status: { conditions: {} } }));
    expect(cluster.conditions).toEqual([]);
    expect(issues.map(({ path }) => path)).toEqual(["status.conditions"]);
  });

  test("When the release image is no text, it should be told once", () => {
    const { issues } = readHostedCluster(aHostedCluster({ spec: { release: { image: 5 } } }));
    expect(issues.map(({ code, path }) => [code, path])).toEqual([["InvalidType", "spec.release.image"]]);
  });

  test("When there is no release image, it should be told", () => {
    const { cluster, issues } = readHostedCluster(aHostedCluster({ spec: { release: {} } }));
    expect(cluster).toMatchObject({ releaseImage: "", version: undefined });
    expect(issues).toEqual([
      expect.objectContaining({ code: "MissingField", severity: "error", path: "spec.release.image" }),
    ]);
  });

  test.for([
    { tag: ":4.20.4-multi", version: "4.20.4" },
    { tag: ":4.20.4-x86_64", version: "4.20.4" },
    { tag: ":4.20.4-multi-x86_64", version: "4.20.4" },
    { tag: ":4.21.0-rc.2-aarch64", version: "4.21.0-rc.2" },
    { tag: ":4.20.4", version: "4.20.4" },
    { tag: `:4.20.4-multi@${digest}`, version: "4.20.4" },
    { tag: `@${digest}`, version: undefined },
    { tag: ":latest", version: undefined },
    { tag: ":4.20", version: undefined },
    { tag: "", version: undefined },
  ])("When the release image ends with '$tag', its version should be $version", ({ tag, version }) => {
    const image = `registry.lan:5000/ocp/release${tag}`;
    expect(readHostedCluster(aHostedCluster({ spec: { release: { image } } })).cluster.version).toBe(version);
  });

  test.for([
    { name: "a desired version", version: { desired: { version: "4.19.2" } }, expected: "4.19.2" },
    {
      name: "only a history",
      version: { history: [{ version: "4.19.3" }, { version: "4.18.1" }] },
      expected: "4.19.3",
    },
    { name: "an empty version", version: { desired: { version: "" }, history: [] }, expected: "4.20.4" },
    { name: "something else", version: "4.19.2", expected: "4.20.4" },
  ])("When status has $name, the version should be $expected", ({ version, expected }) => {
    expect(readHostedCluster(aHostedCluster({ status: { version } })).cluster.version).toBe(expected);
  });
});
