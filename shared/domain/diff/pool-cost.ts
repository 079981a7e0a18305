import type { Issue } from "../issues/issue.ts";
import { isRecord } from "../json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type Cost, type CostRule, exceeds } from "../node-cost/cost.ts";
import type { ChangeCost } from "../node-cost/cost-of-change.ts";
import { maxCostOf } from "../node-cost/max-cost.ts";
import { type CostWindow, costWindowsFor } from "../windows/cost-window.ts";

/** What a change costs the nodes of one pool, and when. */
export type PoolCost = Readonly<{
  name: string;
  cost: Cost;
  /** What each of its nodes does, in order. */
  actions: readonly string[];
  rule: CostRule;
  /** Nothing happens before somebody resumes the pool. */
  paused: boolean;
  /** How many nodes go at once: a number, or a share such as `10%`. */
  maxUnavailable: number | string;
  /** The number of its nodes, null where it is not known. */
  machineCount: number | null;
  /** What the pool allows without being asked, null when it sets no limit. */
  maxCost: Cost | null;
  /** hubrelay holds the change back, because it costs more than the pool allows and no window for it is open. */
  waits: boolean;
  /**
   * The maintenance window for a change that costs more than the pool allows: the one that is open, else the one
   * that opens first; null where there is none, or none is needed.
   */
  window: CostWindow | null;
}>;

/** The MaintenanceWindows there are, and the moment that is asked about. */
export type Calendar = Readonly<{ windows: readonly KubernetesObject[]; now: Date }>;

/** How a change meets one pool: when its nodes act, how many at once, and whether it may go ahead. */
export function costForPool(
  pool: KubernetesObject,
  { cost, actions, rule }: ChangeCost,
  { windows, now }: Calendar,
): Readonly<{ pool: PoolCost; issues: readonly Issue[] }> {
  const spec = isRecord(pool.spec) ? pool.spec : {};
  const status = isRecord(pool.status) ? pool.status : {};
  const { maxUnavailable } = spec;
  const { maxCost, issues } = maxCostOf(pool);
  const isOver = maxCost !== undefined && exceeds(cost, maxCost);
  const window = isOver ? costWindowsFor(pool, cost, windows, now).window : undefined;
  return {
    pool: {
      name: pool.metadata.name,
      cost,
      actions,
      rule,
      paused: spec.paused === true,
      maxUnavailable:
        typeof maxUnavailable === "number" || typeof maxUnavailable === "string" ? maxUnavailable : 1,
      machineCount: typeof status.machineCount === "number" ? status.machineCount : null,
      maxCost: maxCost ?? null,
      waits: isOver && !window?.closesAt,
      window: window ?? null,
    },
    issues,
  };
}
