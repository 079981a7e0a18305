import { describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { aNodePool, inPlace } from "../../../../test/support/hosted-clusters/node-pools.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { Cost } from "../../plan/cost.ts";
import { readHostedCluster } from "../cluster/hosted-cluster.ts";
import { rolloutCost } from "./rollout-cost.ts";

const shop = (spec: Readonly<Record<string, unknown>> = {}, status?: unknown) =>
  readHostedCluster({ ...aHostedCluster({ spec }), ...(status ? { status } : {}) }).cluster;

const autoscaled = (replicas?: number): KubernetesObject => ({
  ...aNodePool("auto", { replicas: undefined, autoScaling: { min: 1, max: 9 } }),
  ...(replicas === undefined ? {} : { status: { replicas } }),
});
const karpenter = { autoNode: { provisionerConfig: { name: "Karpenter" } } };
const history = (...states: readonly string[]) => ({
  version: { history: states.map((state) => ({ state, version: "4.20.4" })) },
});

describe("what a change of the nodes' mirrors costs a hosted cluster", () => {
  const blue = [aNodePool()];
  const replaces = (pools: string) => `HyperShift replaces every node of ${pools}.`;
  const drains = (pools: string) => `HyperShift drains every node of ${pools}.`;
  const many = Array.from({ length: 12 }, (_, index) => `p${index + 10}`);
  const shown = many.slice(0, 10).map((name) => `${name} (3 nodes)`);
  const installing = "The hosted cluster is being installed, and its nodes with it.";
  const unread =
    "The upgrade type of NodePool blue (3 nodes) is neither Replace nor InPlace and counts as Replace.";
  const ofKarpenter = "Karpenter replaces the nodes that it provisioned (spec.autoNode).";
  const without = (what: string) =>
    `The hosted cluster has no ${what}, so the change costs no node anything.`;
  const idle = [aNodePool("a", { replicas: 0 }), aNodePool("b", { replicas: undefined })];
  const bothTypes = [aNodePool("green", inPlace), aNodePool("red"), aNodePool("blue")];

  test.for<
    readonly [
      name: string,
      nodePools: readonly KubernetesObject[],
      cost: Cost,
      text: readonly string[],
      cluster?: ReturnType<typeof shop>,
    ]
  >([
    ["it has no NodePools", [], "none", [without("NodePools")]],
    ["its NodePools have no nodes", idle, "none", [without("nodes")]],
    ["a NodePool is replaced", blue, "replace", [replaces("NodePool blue (3 nodes)")]],
    [
      "a NodePool changes in place",
      [aNodePool("blue", { ...inPlace, replicas: 1 })],
      "drain",
      [drains("NodePool blue (1 node)")],
    ],
    [
      "it has NodePools of both types",
      bothTypes,
      "replace",
      [replaces("NodePools blue (3 nodes), red (3 nodes)"), drains("NodePool green (3 nodes)")],
    ],
    ["a NodePool is autoscaled", [autoscaled(4)], "replace", [replaces("NodePool auto (4 nodes)")]],
    [
      "its number is unknown",
      [autoscaled()],
      "replace",
      [replaces("NodePool auto (number of nodes unknown)")],
    ],
    [
      "the upgrade type of a NodePool cannot be read",
      [aNodePool("blue", { management: "InPlace" })],
      "replace",
      [replaces("NodePool blue (3 nodes)"), unread],
    ],
    [
      "Karpenter provisions its nodes",
      [aNodePool("blue", inPlace)],
      "replace",
      [drains("NodePool blue (3 nodes)"), ofKarpenter],
      shop(karpenter),
    ],
    ["it is being installed", blue, "none", [installing], shop({}, history("Partial"))],
    ["nothing says so", blue, "replace", [replaces("NodePool blue (3 nodes)")], shop({}, history())],
    [
      "it has more NodePools than fit into an Event",
      many.map((name) => aNodePool(name)),
      "replace",
      [replaces(`NodePools ${shown.join(", ")} and 2 more`)],
    ],
  ])("When $0, it should cost $2", ([, nodePools, cost, text, cluster = shop()]) => {
    const found = rolloutCost(cluster, nodePools);
    expect([found.cost, found.rule.text]).toEqual([cost, text.join(" ")]);
  });

  test("When it has NodePools, each should have its own cost", () => {
    expect(rolloutCost(shop(), [aNodePool("b", inPlace), aNodePool("a"), autoscaled()]).nodePools).toEqual([
      { name: "a", upgradeType: "Replace", nodes: 3, cost: "replace" },
      { name: "auto", upgradeType: "Replace", nodes: null, cost: "replace" },
      { name: "b", upgradeType: "InPlace", nodes: 3, cost: "drain" },
    ]);
  });
});
