import { expect, test } from "vitest";
import { type Cost, exceeds, highestCost, limitOf, maxCostOf } from "./cost.ts";

const pool = (annotations?: Readonly<Record<string, string>>) => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "worker", ...(annotations ? { annotations } : {}) },
});

test.for<readonly [Cost, Cost, boolean]>([
  ["none", "none", false],
  ["reload", "none", true],
  ["drain", "reload", true],
  ["drain", "drain", false],
  ["reload", "drain", false],
  ["reboot", "drain", true],
  ["replace", "reboot", true],
])("When a change costs %s and %s is allowed, exceeds should return %s", ([cost, maxCost, expected]) => {
  expect(exceeds(cost, maxCost)).toBe(expected);
});

test.for<readonly [readonly Cost[], Cost]>([
  [[], "none"],
  [["none", "reload"], "reload"],
  [["drain", "reboot", "none"], "reboot"],
])("When the costs are %j, the highest should be %s", ([all, highest]) => {
  expect(highestCost(all)).toBe(highest);
});

test("When a pool has no annotation, it should set no limit", () => {
  expect(maxCostOf(pool())).toEqual({ maxCost: undefined, issues: [] });
  expect(maxCostOf(pool({ other: "drain" }))).toEqual({ maxCost: undefined, issues: [] });
  expect(limitOf(pool())).toBe("replace");
});

test("When a pool names a cost, that should be its limit", () => {
  expect(maxCostOf(pool({ "hubrelay.dev/max-cost": "reload" }))).toEqual({ maxCost: "reload", issues: [] });
});

test.for(["", "Reload", "restart", "0"])(
  "When a pool says %j, it should let nothing through and report that",
  (value) => {
    const { maxCost, issues } = maxCostOf(pool({ "hubrelay.dev/max-cost": value }));
    expect(maxCost).toBe("none");
    expect(issues).toMatchObject([
      {
        severity: "error",
        object: { kind: "MachineConfigPool", name: "worker" },
        path: 'metadata.annotations["hubrelay.dev/max-cost"]',
        value,
      },
    ]);
  },
);
