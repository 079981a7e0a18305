import { describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { aNodePool } from "../../../test/support/hosted-clusters/node-pools.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { hostedClusterCosts } from "./hosted-cluster-cost.ts";

const source = "quay.io/openshift-release-dev/ocp-release";
const sources = (...names: readonly string[]) => [{ source, mirrors: names }];
const shop = (spec: Readonly<Record<string, unknown>> = {}) => aHostedCluster({ spec });
const mirroredBy = (...names: readonly string[]) => shop({ imageContentSources: sources(...names) });

describe("what a change of mirrors costs hosted clusters", () => {
  test("When the nodes get other mirrors, the cost should have NodePools and nodes", () => {
    const before = [mirroredBy("a.io"), aNodePool()];
    expect(hostedClusterCosts(before, [mirroredBy("b.io"), aNodePool()])).toEqual([
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
      },
    ]);
  });

  test.for<[what: string, from: KubernetesObject, to: KubernetesObject, differences: readonly string[]]>([
    ["are added", shop(), mirroredBy("a.io"), [`The mirrors of ${source} become a.io.`]],
    ["are removed", mirroredBy("a.io"), shop(), [`${source} has no mirrors any more.`]],
    [
      "are in another order",
      shop({ imageContentSources: [...sources("a.io"), { source: "b", mirrors: [] }] }),
      shop({ imageContentSources: [{ source: "b", mirrors: [] }, ...sources("a.io")] }),
      ["The order of the sources changes."],
    ],
  ])("When sources %s, the differences should say so", ([, from, to, differences]) => {
    expect(hostedClusterCosts([from, aNodePool()], [to])).toMatchObject([{ differences }]);
  });

  test.for<[name: string, before: readonly KubernetesObject[], after: readonly KubernetesObject[]]>([
    ["mirrors are the same", [mirroredBy("a.io")], [mirroredBy("a.io")]],
    ["the cluster is new", [], [mirroredBy("b.io")]],
  ])("When %s, no hosted cluster should be listed", ([, before, after]) => {
    expect(hostedClusterCosts(before, after)).toEqual([]);
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
  const cluster = (spec: Readonly<Record<string, unknown>>) => shop({ pullSecret: { name: "a" }, ...spec });
  const newer = { image: image("4.23.2") };
  const both = ["blue", "green"] as const;
  const configOf = (name: string) => `NodePool ${name} spec.config`;
  const before = [cluster({}), pool("blue"), pool("green"), own("a: 1")];

  test.for<
    [name: string, after: readonly KubernetesObject[], fields: readonly string[], pools: readonly string[]]
  >([
    ["nothing", before, [], []],
    ["the pull secret's name", [cluster({ pullSecret: { name: "b" } })], ["spec.pullSecret.name"], both],
    [
      "a trust bundle's name and the proxy",
      [cluster({ additionalTrustBundle: { name: "ca" }, configuration: { proxy: { httpProxy: "p" } } })],
      ["spec.additionalTrustBundle.name", "spec.configuration.proxy"],
      both,
    ],
    ["the cluster's own release", [cluster({ release: newer })], [], []],
    ["a release", [pool("blue", { release: newer })], ["NodePool blue spec.release.image"], ["blue"]],
    ["what a ConfigMap holds", [own("a: 2")], [configOf("blue"), configOf("green")], both],
    ["its ConfigMap list", [pool("green", { config: [{ name: "other" }] })], [configOf("green")], ["green"]],
    [
      "the TLS profile",
      [cluster({ configuration: { apiServer: { tlsSecurityProfile: { type: "Modern" } } } })],
      both.map((name) => `NodePool ${name} spec.configuration.apiServer.tlsSecurityProfile`),
      both,
    ],
  ])("When $0 changes, these NodePools should be named: $3", ([, after, fields, pools]) => {
    const [found] = hostedClusterCosts(before, after);
    expect(found?.fields ?? []).toEqual(fields);
    expect(found?.nodePools.map(({ name }) => name) ?? []).toEqual(pools);
  });
});
