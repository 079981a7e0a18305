import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type NodeFile, nodePaths, textFile } from "../openshift/machine-config/node-file.ts";
import { compareSides, type Side } from "./compare-sides.ts";
import { drainOverrideMap, machineOSConfig, runs } from "./node-cost/fixtures.ts";

const now = new Date("2026-03-01T12:00:00Z");

const policy = textFile(nodePaths.policy, "{}");
const search = textFile(nodePaths.searchRegistries, "");
const unsafe = textFile(nodePaths.registriesConf, '[[registry]]\nlocation = "a.io"\nblocked = true\n');

function side(files: readonly NodeFile[], ...objects: readonly KubernetesObject[]): Side {
  return { filesOf: () => files, objects };
}
function pool(name: string, spec?: unknown): KubernetesObject {
  const apiVersion = "machineconfiguration.openshift.io/v1";
  return { apiVersion, kind: "MachineConfigPool", metadata: { name }, spec };
}
const infrastructure = (controlPlaneTopology: string): KubernetesObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  metadata: { name: "cluster" },
  status: { controlPlaneTopology },
});
const single = infrastructure("SingleReplica");
const reloadOnly: KubernetesObject = {
  apiVersion: "operator.openshift.io/v1",
  kind: "MachineConfiguration",
  metadata: { name: "cluster" },
  spec: {
    nodeDisruptionPolicy: { files: [{ path: nodePaths.registriesConf, actions: [{ type: "None" }] }] },
  },
};

const poolNames = (before: Side, after: Side) =>
  compareSides(before, after, now).report.pools.map(({ name }) => name);
const costOf = (before: Side, after: Side) => compareSides(before, after, now).report.cost;

describe("the pools", () => {
  test("When neither side has pools, they should be the built-in ones", () => {
    expect(poolNames(side([]), side([]))).toEqual(["master", "worker"]);
  });

  test("When the new side has pools, they should be those, by name", () => {
    const after = side([], pool("worker"), pool("infra"));
    expect(poolNames(side([], pool("old")), after)).toEqual(["infra", "worker"]);
  });

  test("When only the old side has pools, they should be those", () => {
    expect(poolNames(side([], pool("worker")), side([]))).toEqual(["worker"]);
  });

  test("When pools write different files, each should have its own cost, and the highest be the total", () => {
    const before: Side = { ...side([]), filesOf: (name) => (name === "master" ? [policy] : [search]) };
    const { report } = compareSides(before, side([policy]), now);
    expect(report.cost).toBe("reboot");
    expect(report.pools.map(({ name, cost }) => [name, cost])).toEqual([
      ["master", "none"],
      ["worker", "reboot"],
    ]);
    expect(report.changes.map(({ cost }) => cost)).toEqual(["reboot", "reload"]);
  });

  test("When pools share a change, it should be listed once", () => {
    expect(compareSides(side([]), side([policy]), now).report.changes).toHaveLength(1);
  });
});

test("When a release is given, it should take precedence over that of the ClusterVersion", () => {
  const objects = [runs("4.20.1"), machineOSConfig("worker")];
  const { report } = compareSides(side([]), side([policy], ...objects), now, "4.19.0");
  expect(report.pools.map(({ name, cost }) => [name, cost])).toEqual([
    ["master", "reload"],
    ["worker", "reboot"],
  ]);
});

describe("the circumstances", () => {
  test.for([
    ["nothing says otherwise", [], [], "drain"],
    ["the new side is a single node", [], [single], "reload"],
    ["the old side is a single node", [single], [], "reload"],
    ["both sides have a topology", [single], [infrastructure("HighlyAvailable")], "drain"],
    ["the new side has policies", [], [reloadOnly], "none"],
    ["the old side has policies", [reloadOnly], [], "none"],
    ["4.19 has the ConfigMap that skips drains", [], [runs("4.19.1"), drainOverrideMap], "reload"],
    [
      "the ConfigMap is in another namespace",
      [],
      [runs("4.19.1"), { ...drainOverrideMap, metadata: { ...drainOverrideMap.metadata, namespace: "x" } }],
      "drain",
    ],
    ["the ConfigMap is on no known release", [], [drainOverrideMap], "drain"],
    ["4.18 has a pool in image mode", [runs("4.18.1"), machineOSConfig("worker")], [], "reboot"],
    ["4.18 has one of v1alpha1", [], [runs("4.18.1"), machineOSConfig("worker", "v1alpha1")], "reboot"],
    ["4.18 has another pool in image mode", [], [runs("4.18.1"), machineOSConfig("infra")], "drain"],
  ] as const)("When $0, the change should cost $3", ([, before, after, cost]) => {
    expect(costOf(side([], ...before), side([unsafe], ...after))).toBe(cost);
  });
});
