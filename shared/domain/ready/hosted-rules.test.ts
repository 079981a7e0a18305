import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { configureMirrors } from "../mirrors/configuration.ts";
import { findHostedCluster, nodeGroups, nodeRulesOf } from "./hosted-rules.ts";
import { imageRoutes } from "./locations.ts";

const digest = `sha256:${"a".repeat(64)}`;

describe("nodeRulesOf", () => {
  const hosted = {
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "HostedCluster",
    metadata: { namespace: "clusters", name: "shop" },
    spec: {
      release: { image: `quay.io/ocp/release@${digest}` },
      imageContentSources: [{ source: "quay.io/ocp", mirrors: ["m.lan/ocp"] }],
      configuration: { image: { registrySources: { insecureRegistries: ["m.lan"] } } },
    },
  };
  const pool = (arch: string | undefined, clusterName = "shop") => ({
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "NodePool",
    metadata: { namespace: "clusters", name: `${clusterName}-${arch}` },
    spec: { clusterName, ...(arch === undefined ? {} : { arch }) },
  });

  test("When a hosted cluster has mirrors of its own, its nodes should use these, and no others", () => {
    const cluster = findHostedCluster(
      [{ ...hosted, kind: "HostedControlPlane", spec: {} }, hosted],
      "clusters/shop",
    );
    if (!cluster) throw new Error("not found");
    const { files } = configureMirrors(nodeRulesOf(cluster));
    const route = imageRoutes(files)(cluster.releaseImage);
    expect(route).toMatchObject({
      locations: [
        { reference: `m.lan/ocp/release@${digest}`, insecure: true },
        { reference: cluster.releaseImage, insecure: false },
      ],
    });
    expect(findHostedCluster([hosted], "clusters/other")).toBeUndefined();
    const architectures = (...objects: readonly KubernetesObject[]) =>
      nodeGroups(cluster, objects, { byRelease: false }).map((group) => group.architectures);
    expect(architectures(pool("arm64"), pool(undefined), pool("s390x", "other"))).toEqual([
      ["amd64", "arm64"],
    ]);
    expect(architectures()).toEqual([["amd64"]]);
    // Neither another namespace's, nor another kind, nor what is no architecture.
    const elsewhere = { ...pool("ppc64le"), metadata: { namespace: "other", name: "shop" } };
    const others = [
      elsewhere,
      { ...pool("s390x"), kind: "MachinePool" },
      { ...pool("x"), spec: { clusterName: "shop", arch: 1 } },
    ];
    expect(architectures(...others)).toEqual([["amd64"]]);
  });

  test("When pools differ in release or mirrors, each kind of nodes should be asked about on its own", () => {
    const named = { release: { image: "quay.io/ocp/release:4.20.4-multi" } };
    const cluster = findHostedCluster([{ ...hosted, spec: named }], "clusters/shop");
    if (!cluster) throw new Error("not found");
    const withRelease = (name: string, version: string, fields: object = {}, status: object = {}) => ({
      ...pool("amd64"),
      metadata: { namespace: "clusters", name },
      spec: { clusterName: "shop", release: { image: `quay.io/ocp/release:${version}-multi` }, ...fields },
      status,
    });
    const mirrors = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "clusters", name: "mirrors" },
      data: {
        config:
          "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata: {name: own}\nspec: {imageDigestMirrors: []}",
      },
    };
    const objects = [
      mirrors,
      withRelease("old", "4.19.1", { arch: "arm64" }, { version: "4.18.9" }),
      withRelease("new", "4.20.4", { config: [{ name: "mirrors" }] }),
      withRelease("also-new", "4.20.4"),
    ];
    const groups = (byRelease: boolean) =>
      nodeGroups(cluster, objects, { byRelease }).map(({ input, architectures, releases }) => [
        input.objects.map(({ metadata }) => metadata.name),
        architectures,
        releases,
      ]);
    const old = ["quay.io/ocp/release:4.19.1-multi", "4.18.9"];
    const present = ["quay.io/ocp/release:4.20.4-multi"];
    expect(groups(true)).toEqual([
      [["cluster"], ["arm64"], old],
      [["cluster", "own"], ["amd64"], present],
      [["cluster"], ["amd64"], present],
    ]);
    expect(groups(false).map(([names, architectures]) => [names, architectures])).toEqual([
      [["cluster"], ["amd64", "arm64"]],
      [["cluster", "own"], ["amd64"]],
    ]);
  });
});
