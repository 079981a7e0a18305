import type { Issue } from "#shared/domain/issues/issue.ts";
import { type Condition, withCondition } from "#shared/domain/kubernetes/conditions.ts";
import { fieldsOf, isSameJson } from "#shared/domain/kubernetes/json/values.ts";
import {
  displayName,
  type KubernetesObject,
  namespaceOf,
  referenceTo,
  timestamp,
} from "#shared/domain/kubernetes/object.ts";
import type { Action, Decision, Plan } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { clockIssues, clockProblem, windowTime } from "#shared/domain/windows/clock.ts";
import { waitingPools } from "#shared/domain/windows/cost-window.ts";
import { nameOf, problemsOf } from "#shared/domain/windows/gate.ts";
import { readMaintenanceWindow } from "#shared/domain/windows/maintenance-window.ts";
import { isEndless, nextStart, openingAt } from "#shared/domain/windows/openings.ts";
import { maintenanceWindowIssues } from "#shared/domain/windows/validate-windows.ts";
import type { Snapshot } from "./observe.ts";
import { type WindowUsage, windowUsage } from "./window-usage.ts";

type WindowResult = Readonly<{
  decision: Decision;
  issues: readonly Issue[];
  actions: readonly Action[];
}>;

function withStatus(
  object: KubernetesObject,
  status: Readonly<Record<string, unknown>>,
  desired: Condition,
  now: Date,
): KubernetesObject | undefined {
  const { conditions, ...others } = fieldsOf(object.status);
  const changed = isSameJson(others, status)
    ? object
    : { ...object, status: { ...status, ...(conditions === undefined ? {} : { conditions }) } };
  return withCondition(changed, desired, now) ?? (changed === object ? undefined : changed);
}

function readyCondition(problems: string, ofClock: string | undefined): Condition {
  if (problems) return { type: "Ready", status: "False", reason: "Invalid", message: problems };
  return ofClock
    ? { type: "Ready", status: "False", reason: "ClockDiffers", message: `${ofClock}.` }
    : { type: "Ready", status: "True", reason: "Valid", message: "The window opens as specified." };
}

const maxNames = 10;

function evaluateWindow(
  object: KubernetesObject,
  usage: WindowUsage,
  pools: readonly string[],
  snapshot: Snapshot,
): WindowResult {
  const now = windowTime(snapshot);
  const ofClock = clockProblem(snapshot);
  const { window } = readMaintenanceWindow(object);
  const issues = maintenanceWindowIssues(object, now);
  const { generation } = object.metadata;
  const { open: wasOpen = false, changedAt } = fieldsOf(object.status);
  const mayBeOpen = ofClock === undefined || wasOpen === true;
  const opening = mayBeOpen && window ? openingAt(window, now) : undefined;
  const next = window && nextStart(window, now);
  const changed = wasOpen === (opening !== undefined) ? changedAt : timestamp(now);
  const status: WindowUsage & Readonly<Record<string, unknown>> = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    open: opening !== undefined,
    ...(changed === undefined ? {} : { changedAt: changed }),
    ...(opening ? { closesAt: timestamp(opening.end) } : {}),
    ...(next ? { nextOpening: timestamp(next) } : {}),
    ...usage,
    ...(pools.length > 0 ? { waitingPools: pools.slice(0, maxNames) } : {}),
  };
  const problems = problemsOf(issues);
  const verdict = window ? (opening ? "open" : "closed") : "invalid";
  const opens = next ? sentence`opens ${opening ? "again " : ""}${timestamp(next)}` : "never opens again";
  const until = opening && sentence`until ${timestamp(opening.end)}`;
  const times = opening && isEndless(opening) ? ["without end"] : [until, opens].filter(Boolean);
  const usageText = `${usage.inside} inside, ${usage.waiting} waiting`;
  const reason = problems || ofClock || `${times.join(", ")}; ${usageText}`;
  const written = withStatus(object, status, readyCondition(problems, ofClock), now);
  return {
    decision: { subject: displayName(referenceTo(object)), verdict, reason },
    issues: [...issues, ...clockIssues(object, snapshot)],
    actions: written ? [{ verb: "update-status", object: written, reason }] : [],
  };
}

/** Returns the plan for all MaintenanceWindows: their status, and a message for each affected upgrade. Pure. */
export function decide(snapshot: Snapshot): Plan {
  const { windows } = snapshot;
  const { usage, sends } = windowUsage(snapshot);
  const unused: WindowUsage = { inside: 0, waiting: 0 };
  const pools = waitingPools(snapshot.waitingEvents);
  const nameIn = (object: KubernetesObject) =>
    nameOf({ namespace: namespaceOf(object), name: object.metadata.name });
  const results = windows.map((object) => {
    const name = nameIn(object);
    const used = usage.get(name) ?? unused;
    return evaluateWindow(object, used, pools.get(name) ?? [], snapshot);
  });
  return {
    decisions: results.map(({ decision }) => decision),
    issues: results.flatMap(({ issues }) => issues),
    actions: results.flatMap(({ actions }) => actions),
    sends,
  };
}
