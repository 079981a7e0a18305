import type { Issue } from "../issues/issue.ts";
import { fieldsOf } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type Cost, type CostRule, maxCostOf } from "../plan/cost.ts";
import type { CostWindow } from "../windows/cost-window.ts";
import { type Calendar, permissionFor } from "../windows/held-change.ts";
import type { ChangeCost } from "./node-cost/cost-of-change.ts";

/** The cost of a change for the nodes of one pool, and the time of the change. */
export type PoolCost = Readonly<{
  name: string;
  cost: Cost;
  /** The actions of each node, in order. */
  actions: readonly string[];
  rule: CostRule;
  /** Nothing happens until the pool is resumed. */
  paused: boolean;
  /** How many nodes change at the same time: a number, or a percentage such as `10%`. */
  maxUnavailable: number | string;
  /** The number of nodes, null when unknown. */
  machineCount: number | null;
  /** The pool's limit (`hubrelay.dev/max-cost`), null without one. */
  maxCost: Cost | null;
  /** hubrelay holds the change back: it costs more than the pool allows and no window of the pool is open. */
  waits: boolean;
  /**
   * The maintenance window for a change that costs more than the pool allows: the open one, or else the next one
   * to open; null when there is none or none is needed.
   */
  window: CostWindow | null;
}>;

/** Returns the cost of a change for one pool: its actions, how many nodes change at once, and whether it must wait. */
export function costForPool(
  pool: KubernetesObject,
  { cost, actions, rule }: ChangeCost,
  calendar: Calendar,
): Readonly<{ pool: PoolCost; issues: readonly Issue[] }> {
  const spec = fieldsOf(pool.spec);
  const status = fieldsOf(pool.status);
  const { maxUnavailable } = spec;
  const { maxCost, issues } = maxCostOf(pool);
  const { isHeld, window } = permissionFor(pool, cost, calendar);
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
      waits: isHeld,
      window: window ?? null,
    },
    issues,
  };
}
