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
  test.for<{
    name: string;
    nodePools: readonly KubernetesObject[];
    spec?: Readonly<Record<string, unknown>>;
    status?: unknown;
    cost: Cost;
    text: string;
  }>([
    {
      name: "it has no NodePools",
      nodePools: [],
      cost: "none",
      text: "The hosted cluster has no NodePools, so the change costs no node anything.",
    },
    {
      name: "its NodePools have no nodes",
      nodePools: [aNodePool("a", { replicas: 0 }), aNodePool("b", { replicas: undefined })],
      cost: "none",
      text: "The hosted cluster has no nodes, so the change costs no node anything.",
    },
    {
      name: "a NodePool is replaced",
      nodePools: [aNodePool()],
      cost: "replace",
      text: "HyperShift replaces every node of NodePool blue (3 nodes).",
    },
    {
      name: "a NodePool changes in place",
      nodePools: [aNodePool("blue", { ...inPlace, replicas: 1 })],
      cost: "drain",
      text: "HyperShift drains every node of NodePool blue (1 node).",
    },
    {
      name: "it has NodePools of both types",
      nodePools: [aNodePool("green", inPlace), aNodePool("red"), aNodePool("blue")],
      cost: "replace",
      text: "HyperShift replaces every node of NodePools blue (3 nodes), red (3 nodes). HyperShift drains every node of NodePool green (3 nodes).",
    },
    {
      name: "a NodePool is autoscaled",
      nodePools: [autoscaled(4)],
      cost: "replace",
      text: "HyperShift replaces every node of NodePool auto (4 nodes).",
    },
    {
      name: "an autoscaled NodePool reports no number",
      nodePools: [autoscaled()],
      cost: "replace",
      text: "HyperShift replaces every node of NodePool auto (number of nodes unknown).",
    },
    {
      name: "the upgrade type of a NodePool cannot be read",
      nodePools: [aNodePool("blue", { management: "InPlace" })],
      cost: "replace",
      text: "HyperShift replaces every node of NodePool blue (3 nodes). The upgrade type of NodePool blue (3 nodes) is neither Replace nor InPlace and counts as Replace.",
    },
    {
      name: "Karpenter provisions its nodes",
      nodePools: [aNodePool("blue", inPlace)],
      spec: karpenter,
      cost: "replace",
      text: "HyperShift drains every node of NodePool blue (3 nodes). Karpenter replaces the nodes that it provisioned (spec.autoNode).",
    },
    {
      name: "it is being installed",
      nodePools: [aNodePool()],
      status: history("Partial"),
      cost: "none",
      text: "The hosted cluster is being installed, and its nodes with it.",
    },
    {
      name: "nothing is reported about its installation",
      nodePools: [aNodePool()],
      status: history(),
      cost: "replace",
      text: "HyperShift replaces every node of NodePool blue (3 nodes).",
    },
    {
      name: "it has more NodePools than fit into an Event",
      nodePools: Array.from({ length: 12 }, (_, index) => aNodePool(`p${index + 10}`)),
      cost: "replace",
      text: "HyperShift replaces every node of NodePools p10 (3 nodes), p11 (3 nodes), p12 (3 nodes), p13 (3 nodes), p14 (3 nodes), p15 (3 nodes), p16 (3 nodes), p17 (3 nodes), p18 (3 nodes), p19 (3 nodes) and 2 more.",
    },
  ])("When $name, it should cost $cost", ({ nodePools, spec, status, cost, text }) => {
    const found = rolloutCost(shop(spec, status), nodePools);
    expect(found.cost).toBe(cost);
    expect(found.rule.text).toBe(text);
  });

  test("When it has NodePools, each should have its own cost", () => {
    expect(rolloutCost(shop(), [aNodePool("b", inPlace), aNodePool("a"), autoscaled()]).nodePools).toEqual([
      { name: "a", upgradeType: "Replace", nodes: 3, cost: "replace" },
      { name: "auto", upgradeType: "Replace", nodes: null, cost: "replace" },
      { name: "b", upgradeType: "InPlace", nodes: 3, cost: "drain" },
    ]);
  });
});
