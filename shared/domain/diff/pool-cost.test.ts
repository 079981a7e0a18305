import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { nodePaths, textFile } from "../openshift/machine-config/node-file.ts";
import { windowObject } from "../windows/fixtures.ts";
import { costForPool } from "./compare-sides.ts";
import { costOfChange } from "./node-cost/cost-of-change.ts";

const change = costOfChange({ before: [], after: [textFile(nodePaths.policy, "{}")] });
const night = windowObject({ timeZone: "UTC", allow: { maxCost: { worker: "reload" } } });
const calendar = { windows: [night], now: new Date("2026-03-01T12:00:00Z") };
const pool = (fields: Partial<KubernetesObject>, maxCost?: string): KubernetesObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "worker", ...(maxCost ? { annotations: { "hubrelay.dev/max-cost": maxCost } } : {}) },
  ...fields,
});

describe("a change of policy.json, which reloads crio", () => {
  test("When a pool says nothing more, it should go ahead, one node at a time", () => {
    expect(costForPool(pool({}), change, calendar)).toEqual({
      pool: {
        name: "worker",
        cost: "reload",
        actions: ["reload crio.service"],
        rule: change.rule,
        paused: false,
        maxUnavailable: 1,
        machineCount: null,
        maxCost: null,
        waits: false,
        window: null,
      },
      issues: [],
    });
  });

  test.for([
    ["is paused", pool({ spec: { paused: true } }), { paused: true }],
    ["takes two nodes at once", pool({ spec: { maxUnavailable: 2 } }), { maxUnavailable: 2 }],
    ["takes a share at once", pool({ spec: { maxUnavailable: "10%" } }), { maxUnavailable: "10%" }],
    ["has an odd maxUnavailable", pool({ spec: { maxUnavailable: {} } }), { maxUnavailable: 1 }],
    ["knows its size", pool({ status: { machineCount: 7 } }), { machineCount: 7 }],
    ["allows a reload", pool({}, "reload"), { maxCost: "reload", waits: false, window: null }],
    [
      "allows nothing",
      pool({}, "none"),
      {
        maxCost: "none",
        waits: true,
        window: { namespace: "fleet", name: "night", opensAt: "2026-03-02T02:00:00Z" },
      },
    ],
  ] as const)("When the pool $0, it should return $2", ([, pool, found]) => {
    expect(costForPool(pool, change, calendar)).toMatchObject({ pool: found, issues: [] });
  });

  test("When a window for it is open, it should go ahead although the pool allows nothing", () => {
    const now = new Date("2026-03-02T02:00:00Z");
    expect(costForPool(pool({}, "none"), change, { ...calendar, now }).pool).toMatchObject({
      waits: false,
      window: { namespace: "fleet", name: "night", closesAt: "2026-03-02T04:30:00Z" },
    });
  });

  test("When the pool's limit is invalid, it should wait and report the error", () => {
    const { pool: cost, issues } = costForPool(pool({}, "cheap"), change, calendar);
    expect(cost).toMatchObject({ maxCost: "none", waits: true });
    expect(issues.map(({ code }) => code)).toEqual(["InvalidMaxCost"]);
  });
});
