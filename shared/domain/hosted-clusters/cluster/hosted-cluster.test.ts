import { describe, expect, test } from "vitest";
import { aHostedCluster, payload } from "../fixtures.ts";
import { controlPlaneNamespace, pauseOf, readHostedCluster } from "./hosted-cluster.ts";

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
    });
    expect(readHostedCluster(object)).toEqual({
      cluster: {
        object,
        namespace: "clusters",
        name: "shop.eu",
        controlPlaneNamespace: "clusters-shop-eu",
        releaseImage: payload,
        controlPlaneReleaseImage: "quay.io/ns/release:4.21.0",
        reachedVersion: undefined,
        version: "4.20.4",
        controlPlaneVersion: "4.21.0",
        begunVersions: ["4.20.4"],
        annotations: { "hubrelay.dev/take-over": "true", note: "x" },
        capabilities: { disabled: ["ImageRegistry"] },
        imageContentSources: [
          { source: "quay.io/ns", mirrors: ["m.lan/ns"] },
          { source: "quay.io/other", mirrors: [] },
        ],
        olmCatalogPlacement: "guest",
        disablesDefaultCatalogs: true,
        pausedUntil: "true",
      },
      issues: [],
    });
  });

  test("When only the release is written, everything else should have its default", () => {
    const { namespace: _, ...metadata } = aHostedCluster().metadata;
    const { release } = Object(aHostedCluster().spec);
    const { cluster, issues } = readHostedCluster({ ...aHostedCluster(), metadata, spec: { release } });
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
    });
    expect(issues).toEqual([]);
  });

  test.for([
    ["spec", { spec: "x" }, "an object"],
    ["spec.release", { release: [] }, "an object"],
    ["spec.release.image", { release: { image: 4 } }, "a string"],
    ["spec.imageContentSources", { imageContentSources: {} }, "a list of sources"],
    ["spec.imageContentSources[1]", { imageContentSources: [{ source: "a.io" }, "b.io"] }, "an object"],
    ["spec.imageContentSources[0].source", { imageContentSources: [{ source: 1 }] }, "a string"],
    [
      "spec.imageContentSources[0].mirrors",
      { imageContentSources: [{ source: "a.io", mirrors: [1] }] },
      "a list of strings",
    ],
    ["spec.olmCatalogPlacement", { olmCatalogPlacement: ["guest"] }, 'one of "management", "guest"'],
  ] as const)(
    "When $0 has the wrong type, it should be reported and the rest be read",
    ([path, fields, wanted]) => {
      const object = aHostedCluster({ spec: fields });
      const { cluster, issues } = readHostedCluster("spec" in fields ? { ...object, ...fields } : object);
      expect(cluster.controlPlaneNamespace).toBe("clusters-shop");
      expect(issues.filter(({ code }) => code === "InvalidType")).toEqual([
        expect.objectContaining({
          severity: "error",
          path,
          message: expect.stringContaining(`${path} must be ${wanted}, but is`),
          object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
        }),
      ]);
    },
  );

  test("When one of several content sources cannot be read, the others should be", () => {
    const imageContentSources = [
      { source: "a.io", mirrors: ["m.lan"] },
      { mirrors: "x" },
      { source: "b.io" },
    ];
    expect(
      readHostedCluster(aHostedCluster({ spec: { imageContentSources } })).cluster.imageContentSources,
    ).toEqual([
      { source: "a.io", mirrors: ["m.lan"] },
      { source: "b.io", mirrors: [] },
    ]);
  });

  test.for([false, "true", 1])(
    "When the default catalogs are disabled by %j, they should not be",
    (value) => {
      const spec = { configuration: { operatorhub: { disableAllDefaultSources: value } } };
      expect(readHostedCluster(aHostedCluster({ spec })).cluster.disablesDefaultCatalogs).toBe(false);
    },
  );

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

  const completed = (version: string) => ({ state: "Completed", version });
  const begun = [{ state: "Partial", version: "4.20.4" }, completed("4.18.9"), completed("4.17.1")];
  test.for<readonly [what: string, version: unknown, expected: string]>([
    ["another desired version", { desired: { version: "4.19.2" } }, "4.20.4"],
    ["a newer desired version", { desired: { version: "4.20.4" }, history: [completed("4.18.9")] }, "4.18.9"],
    ["an upgrade that has begun", { history: begun }, "4.18.9"],
    ["only a history", { history: [{ version: "4.19.3" }, { version: "4.18.1" }] }, "4.19.3"],
    ["an empty version", { desired: { version: "" }, history: [] }, "4.20.4"],
    ["something else", "4.19.2", "4.20.4"],
    ["a number", { desired: { version: 4.19 } }, "4.20.4"],
    ["a history of texts", { desired: "4.19.2", history: ["4.19.2"] }, "4.20.4"],
    ["a history that is not a list", { history: { version: "4.19.2" } }, "4.20.4"],
  ])("When status has $0, the version should be $2", ([, version, expected]) => {
    expect(readHostedCluster(aHostedCluster({ status: { version } })).cluster.version).toBe(expected);
  });

  const history = (...versions: readonly string[]) => ({
    history: versions.map((version, index) => ({
      state: index < versions.length - 1 ? "Partial" : "Completed",
      version,
    })),
  });
  const byDigest = { release: { image: `quay.io/ocp/release@${digest}` } };
  const ownRelease = { controlPlaneRelease: { image: "quay.io/ocp/release:4.20.6-multi" } };
  const desired = { version: { desired: { version: "4.20.4" }, ...history("4.18.9") } };
  const ahead = { version: history("4.20.4", "4.18.9"), controlPlaneVersion: history("4.20.4") };
  const retargeted = { version: history("4.19.7", "4.18.9") };
  test.for<
    readonly [
      what: string,
      versions: readonly (string | undefined)[],
      status?: unknown,
      spec?: Readonly<Record<string, unknown>>,
    ]
  >([
    ["nothing is known", [undefined], undefined, byDigest],
    ["it is to be installed", ["4.20.4"]],
    ["it is installed", ["4.20.4"], { version: history("4.20.4") }],
    ["it requests another", ["4.18.9", "4.20.4"], { version: history("4.18.9") }],
    ["it requests another by digest", ["4.18.9", "4.20.4"], desired, byDigest],
    ["its upgrade changed its target", ["4.18.9", "4.19.7", "4.20.4"], retargeted],
    ["its control plane is ahead of its nodes", ["4.20.4", "4.18.9"], ahead],
    [
      "its control plane has its own release",
      ["4.20.6", "4.20.4"],
      { version: history("4.20.4") },
      ownRelease,
    ],
  ])("When $0, the versions of its control plane should be $1", ([, versions, status, spec = {}]) => {
    const { cluster } = readHostedCluster(aHostedCluster({ spec, status }));
    expect([cluster.controlPlaneVersion, ...cluster.begunVersions]).toEqual(versions);
  });
});

const now = new Date("2026-11-22T00:00:00Z");

// The results of ProcessPausedUntilField in HyperShift's support/util at this time.
test.for([
  { text: undefined, paused: false },
  { text: "true", paused: true },
  { text: "True", paused: true },
  { text: "false", paused: false },
  { text: "False", paused: false },
  { text: "2026-11-22T00:00:00Z", paused: false },
  { text: "2026-11-22T00:00:01Z", paused: "2026-11-22T00:00:01.000Z" },
  { text: "2026-11-22T00:30:00+01:00", paused: false },
  { text: "2026-11-21T23:30:00-01:00", paused: "2026-11-22T00:30:00.000Z" },
  { text: "2026-12-01T5:00:00Z", paused: "2026-12-01T05:00:00.000Z" },
  { text: "2026-12-01T00:00:00.5Z", paused: "2026-12-01T00:00:00.500Z" },
  { text: "2026-12-01T00:00:00,5Z", paused: "2026-12-01T00:00:00.500Z" },
  { text: "2026-12-01T00:00:00.123456789012Z", paused: "2026-12-01T00:00:00.123Z" },
  { text: "2026-12-01T00:00:00+24:00", paused: "2026-11-30T00:00:00.000Z" },
  { text: "2026-12-01T00:00:00+25:00", paused: false },
  { text: "2026-12-01T00:00:00+23:60", paused: "2026-11-30T00:00:00.000Z" },
  { text: "2026-12-01T00:00:00+23:61", paused: false },
  { text: "2026-12-01T00:00:00", paused: false },
  { text: "2026-12-01T00:00:00z", paused: false },
  { text: "2026-12-01T00:00:00.Z", paused: false },
  { text: "2026-12-01T24:00:00Z", paused: false },
  { text: "2026-12-01T00:00:60Z", paused: false },
  { text: "2026-13-01T00:00:00Z", paused: false },
  { text: "2027-02-29T00:00:00Z", paused: false },
  { text: "2028-02-29T00:00:00Z", paused: "2028-02-29T00:00:00.000Z" },
  { text: "2027-04-31T00:00:00Z", paused: false },
  { text: "x2026-12-01T00:00:00Z", paused: false },
  { text: "2026-12-01T00:00:00Z and so on", paused: false },
])("When a hosted cluster is paused until $text, it should be paused: $paused", ({ text, paused }) => {
  const { isPaused, until } = pauseOf(text, now);
  expect(until?.toISOString() ?? isPaused).toBe(paused);
});
