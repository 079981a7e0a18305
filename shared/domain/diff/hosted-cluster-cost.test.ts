import { describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { aNodePool } from "../../../test/support/hosted-clusters/node-pools.ts";
import { aDigestMirrorSet } from "../../../test/support/hub/objects.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { windowObject } from "../windows/fixtures.ts";
import { hostedClusterCosts } from "./hosted-cluster-cost.ts";

const source = "quay.io/openshift-release-dev/ocp-release";
const mirrors = (...names: readonly string[]) => aDigestMirrorSet("ocp", [{ source, mirrors: [...names] }]);
const sources = (...names: readonly string[]) => [{ source, mirrors: names }];
const shop = (
  annotations: Readonly<Record<string, string>> = { "hubrelay.dev/image-content-sources": "release" },
  spec: Readonly<Record<string, unknown>> = {},
) => aHostedCluster({ metadata: { annotations }, spec });
const onHub = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, uid: "1" },
});
const night = windowObject({
  timeZone: "UTC",
  allow: { hostedClusters: { maxCost: "replace", selector: {} } },
});
const noon = new Date("2026-03-01T12:00:00Z");
const atNight = new Date("2026-03-02T02:00:00Z");

const costs = (
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  windows: readonly KubernetesObject[] = [night],
  now = noon,
) => hostedClusterCosts(before, after, { windows, now });

describe("what a change of mirrors costs hosted clusters", () => {
  test("When a delegated cluster's mirrors change, it should have NodePools, nodes, and the window that it waits for", () => {
    expect(costs([mirrors("a.io"), shop(), aNodePool()], [mirrors("b.io"), shop(), aNodePool()])).toEqual([
      {
        namespace: "clusters",
        name: "shop",
        cost: "replace",
        rule: {
          code: "hosted-nodes-replaced",
          text: "HyperShift replaces every node of NodePool blue (3 nodes).",
        },
        nodePools: [{ name: "blue", upgradeType: "Replace", nodes: 3, cost: "replace" }],
        fields: ["spec.imageContentSources"],
        differences: [`The mirrors of ${source} become b.io, and are a.io.`],
        maxCost: null,
        waits: true,
        window: { namespace: "fleet", name: "night", opensAt: "2026-03-02T02:00:00Z" },
      },
    ]);
  });

  test("When the new side has only mirrors, clusters and NodePools should be those of the old side", () => {
    const [found] = costs([mirrors("a.io"), shop(), aNodePool()], [mirrors("b.io")]);
    expect(found).toMatchObject({ name: "shop", nodePools: [{ name: "blue" }] });
  });

  test("When no window allows the change, it should wait without one; in an open one it should go ahead", () => {
    const [before, after] = [[mirrors("a.io"), shop(), aNodePool()], [mirrors("b.io")]];
    expect(costs(before, after, [])).toMatchObject([{ waits: true, window: null }]);
    expect(costs(before, after, [night], atNight)).toMatchObject([
      { waits: false, window: { closesAt: "2026-03-02T04:30:00Z" } },
    ]);
  });

  test("When a person changes the field, it should cost the same and not wait", () => {
    const before = [shop({}, { imageContentSources: sources("a.io") }), aNodePool()];
    const after = [shop({}, { imageContentSources: sources("b.io") })];
    expect(costs(before, after)).toMatchObject([{ cost: "replace", waits: false, window: null }]);
  });

  test.for<[name: string, before: readonly KubernetesObject[], after: readonly KubernetesObject[]]>([
    ["mirrors are the same", [mirrors("a.io"), shop()], [mirrors("a.io"), shop()]],
    ["nobody delegated the field", [mirrors("a.io"), shop({})], [mirrors("b.io")]],
    ["the cluster is new", [mirrors("a.io")], [mirrors("b.io"), shop()]],
    [
      "the hub's nodes have what the manifests derive",
      [mirrors("old.io"), onHub(shop(undefined, { imageContentSources: sources("b.io") }))],
      [mirrors("b.io"), shop()],
    ],
  ])("When %s, no hosted cluster should be listed", ([, before, after]) => {
    expect(costs(before, after)).toEqual([]);
  });

  test("When the hub holds back a change, its nodes should count as they are", () => {
    const [found] = costs([mirrors("b.io"), onHub(shop()), aNodePool()], [mirrors("b.io"), shop()]);
    expect(found?.differences).toEqual([`The mirrors of ${source} become b.io.`]);
  });
});

describe("what rolls out node pools besides mirrors", () => {
  const image = (version: string) => `${source}:${version}-multi`;
  const own = (config: string): KubernetesObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "clusters", name: "own" },
    data: { config },
  });
  const pool = (name: string, spec: Readonly<Record<string, unknown>> = {}) =>
    aNodePool(name, { release: { image: image("4.23.1") }, config: [{ name: "own" }], ...spec });
  const cluster = (spec: Readonly<Record<string, unknown>>) =>
    shop({}, { pullSecret: { name: "a" }, ...spec });
  const before = [cluster({}), pool("blue"), pool("green"), own("a: 1")];

  test.for<
    [name: string, after: readonly KubernetesObject[], fields: readonly string[], pools: readonly string[]]
  >([
    ["nothing", before, [], []],
    [
      "the pull secret's name",
      [cluster({ pullSecret: { name: "b" } })],
      ["spec.pullSecret.name"],
      ["blue", "green"],
    ],
    [
      "a trust bundle's name and the proxy",
      [
        cluster({
          additionalTrustBundle: { name: "ca" },
          configuration: { proxy: { httpProxy: "http://p" } },
        }),
      ],
      ["spec.additionalTrustBundle.name", "spec.configuration.proxy"],
      ["blue", "green"],
    ],
    ["the cluster's own release", [cluster({ release: { image: image("4.23.2") } })], [], []],
    [
      "one pool's release",
      [pool("blue", { release: { image: image("4.23.2") } })],
      ["NodePool blue spec.release.image"],
      ["blue"],
    ],
    [
      "what a ConfigMap holds",
      [own("a: 2")],
      ["NodePool blue spec.config", "NodePool green spec.config"],
      ["blue", "green"],
    ],
    [
      "the TLS profile",
      [cluster({ configuration: { apiServer: { tlsSecurityProfile: { type: "Modern" } } } })],
      [
        "NodePool blue spec.configuration.apiServer.tlsSecurityProfile",
        "NodePool green spec.configuration.apiServer.tlsSecurityProfile",
      ],
      ["blue", "green"],
    ],
  ])("When $0 changes, these NodePools should be named: $3", ([, after, fields, pools]) => {
    const [found] = costs(before, after, []);
    expect(found?.fields ?? []).toEqual(fields);
    expect(found?.nodePools.map(({ name }) => name) ?? []).toEqual(pools);
    expect(found?.waits ?? false).toBe(false);
  });
});
