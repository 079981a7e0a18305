import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { nodePaths, textFile } from "../openshift/machine-config/node-file.ts";
import { windowObject } from "../windows/fixtures.ts";
import { costOfChange } from "./node-cost/cost-of-change.ts";
import { costForPool } from "./pool-cost.ts";

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
    { name: "is paused", pool: pool({ spec: { paused: true } }), found: { paused: true } },
    {
      name: "takes two nodes at once",
      pool: pool({ spec: { maxUnavailable: 2 } }),
      found: { maxUnavailable: 2 },
    },
    {
      name: "takes a share at once",
      pool: pool({ spec: { maxUnavailable: "10%" } }),
      found: { maxUnavailable: "10%" },
    },
    {
      name: "has an odd maxUnavailable",
      pool: pool({ spec: { maxUnavailable: {} } }),
      found: { maxUnavailable: 1 },
    },
    { name: "knows its size", pool: pool({ status: { machineCount: 7 } }), found: { machineCount: 7 } },
    {
      name: "allows a reload",
      pool: pool({}, "reload"),
      found: { maxCost: "reload", waits: false, window: null },
    },
    {
      name: "allows nothing",
      pool: pool({}, "none"),
      found: {
        maxCost: "none",
        waits: true,
        window: { namespace: "fleet", name: "night", opensAt: "2026-03-02T02:00:00Z" },
      },
    },
  ])("When the pool $name, it should return $found", ({ pool, found }) => {
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
