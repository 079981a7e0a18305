import type { KubernetesObject } from "../kubernetes/object.ts";
import { type Cost, type CostRule, exceeds, limitOf, maxCostAnnotation } from "../plan/cost.ts";
import type { ObjectEvent } from "../plan/object-events.ts";
import type { OutcomeEvent } from "../plan/outcome-event.ts";
import { type PartialPlan, settled } from "../plan/partial-plan.ts";
import { sentence } from "../text/redact.ts";
import type { Clock } from "./clock.ts";
import {
  type CostWindow,
  type CostWindows,
  costWindowsFor,
  costWindowText,
  waitedForAnnotation,
} from "./cost-window.ts";
import { nameOf } from "./gate.ts";
import { changeHeld, waitsForWindow } from "./hold-reasons.ts";

/** The hub's MaintenanceWindows, and the time at which they are evaluated. */
export type Calendar = Clock & Readonly<{ windows: readonly KubernetesObject[] }>;

/** A change to the nodes of a pool, with its cost and the rule that determined the cost. */
export type LimitedChange = Readonly<{ pool: KubernetesObject; cost: Cost; rule: CostRule }>;

/** Whether a change must wait (`isHeld`), and the window that allows the change now or later. */
export type Permission = Readonly<{ isHeld: boolean }> & CostWindows;

/** Additional data of an outcome: whether the change is held, and the window that it runs in or waits for. */
export type Circumstances = Readonly<{
  conditions?: readonly Readonly<Record<string, string>>[];
  window?: CostWindow;
}>;

type Report = Readonly<{
  subject: string;
  differences: readonly string[];
  outcomeOf(circumstances: Circumstances): OutcomeEvent;
}>;

/** Returns whether a change must wait. It may be written now if the pool's limit or an open window allows its cost. */
export function permissionFor(pool: KubernetesObject, cost: Cost, calendar: Calendar): Permission {
  if (!exceeds(cost, limitOf(pool))) return { isHeld: false, window: undefined, problems: [] };
  const decisive = costWindowsFor(pool, cost, calendar.windows, calendar);
  return { isHeld: !decisive.window?.closesAt, ...decisive };
}

function costsTooMuch({ pool, cost }: LimitedChange): string {
  return `The change costs ${cost} and the pool allows ${limitOf(pool)}`;
}

/** Returns the plan for a held change: an Event on the pool, and an outcome. */
export function planHeldChange(
  change: LimitedChange,
  { window, problems }: CostWindows,
  { subject, differences, outcomeOf }: Report,
): PartialPlan {
  const { pool, rule } = change;
  const waitsFor = window?.opensAt ? window : undefined;
  const message = [
    `${costsTooMuch(change)}: ${rule.text}`,
    window && sentence`It waits for the maintenance window ${costWindowText(window)}.`,
    problems.length > 0 && sentence`A window that should allow it does not open: ${problems.join("; ")}.`,
    !window && problems.length === 0 && "No maintenance window allows it.",
    `Raise the annotation ${maxCostAnnotation} to let it go ahead${waitsFor ? " at once" : ""}.`,
  ]
    .filter(Boolean)
    .join(" ");
  const reason = waitsFor ? "WaitsForWindow" : "CostExceedsMaximum";
  const objectEvent: ObjectEvent = {
    regarding: pool,
    isLasting: true,
    // Waiting for a window and waiting for a user are different reasons, so that each has its own outcome.
    ...(waitsFor
      ? { type: "Normal", reason: waitsForWindow, memory: { [waitedForAnnotation]: nameOf(waitsFor) } }
      : { type: "Warning", reason: changeHeld }),
    message,
    outcome: outcomeOf({
      conditions: [{ type: "Held", status: "True", reason, message }],
      ...(waitsFor ? { window: waitsFor } : {}),
    }),
  };
  return {
    ...settled(subject, "held", message, { differences }),
    objectEvents: [objectEvent],
    ...(waitsFor?.opensAt ? { requeueAt: new Date(waitsFor.opensAt) } : {}),
  };
}

/** Returns the additional data for the outcome of a written change; empty if the change needed no window. */
export function writtenCircumstances(change: LimitedChange, { window }: CostWindows): Circumstances {
  if (!window) return {};
  const message = sentence`${costsTooMuch(change)}: it goes ahead in the maintenance window ${costWindowText(window)}.`;
  return { window, conditions: [{ type: "Held", status: "False", reason: "WindowOpen", message }] };
}
