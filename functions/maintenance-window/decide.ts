import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import type { Issue } from "#shared/domain/issue.ts";
import { type Condition, conditionOf, withCondition } from "#shared/domain/kubernetes/conditions.ts";
import { displayName, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { timestamp } from "#shared/domain/kubernetes/timestamp.ts";
import { isRecord } from "#shared/domain/mirrors/fields.ts";
import type { Action, Decision, Plan } from "#shared/domain/plan.ts";
import { isSameJson } from "#shared/domain/same-json.ts";
import { waitingPools } from "#shared/domain/windows/cost-window.ts";
import { nameOf } from "#shared/domain/windows/gate.ts";
import { namespaceOf, readMaintenanceWindow } from "#shared/domain/windows/maintenance-window.ts";
import { nextStart, openingAt } from "#shared/domain/windows/openings.ts";
import { maintenanceWindowIssues } from "#shared/domain/windows/validate-windows.ts";
import { type Attendance, attend } from "./attendance.ts";
import { firstOf, type LongRest, longEnough, longEnoughCondition } from "./long-rests.ts";
import type { Snapshot } from "./observe.ts";

type Look = Readonly<{
  decision: Decision;
  issues: readonly Issue[];
  outcomes: readonly OutcomeEvent[];
  actions: readonly Action[];
}>;

/** The window with this status, or undefined when it has it already. */
function withStatus(
  object: KubernetesObject,
  status: Readonly<Record<string, unknown>>,
  told: readonly Condition[],
  now: Date,
): KubernetesObject | undefined {
  const { conditions, ...others } = isRecord(object.status) ? object.status : {};
  const changed = isSameJson(others, status)
    ? object
    : { ...object, status: { ...status, ...(conditions === undefined ? {} : { conditions }) } };
  const written = told.reduce(
    (before, condition) => withCondition(before, condition, now) ?? before,
    changed,
  );
  return written === object ? undefined : written;
}

function readyCondition(problems: string): Condition {
  return problems
    ? { type: "Ready", status: "False", reason: "Invalid", message: problems }
    : { type: "Ready", status: "True", reason: "Valid", message: "It opens as it says." };
}

/** Names of pools that a status has room for. */
const mostPools = 10;

/** What one window is at this moment. */
function lookAt(
  object: KubernetesObject,
  attendance: Attendance,
  rests: readonly LongRest[],
  pools: readonly string[],
  { now, hubId }: Snapshot,
): Look {
  const { window } = readMaintenanceWindow(object);
  const issues = maintenanceWindowIssues(object, now);
  const { generation, namespace = "", name } = object.metadata;
  const opening = window && openingAt(window, now);
  const next = window && nextStart(window, now);
  const wasOpen = isRecord(object.status) && object.status.open === true;
  const status: Attendance & Readonly<Record<string, unknown>> = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    open: opening !== undefined,
    ...(opening ? { closesAt: timestamp(opening.end) } : {}),
    ...(next ? { nextOpening: timestamp(next) } : {}),
    ...attendance,
    ...(pools.length > 0 ? { waitingPools: pools.slice(0, mostPools) } : {}),
  };
  const problems = issues
    .filter(({ severity }) => severity === "error")
    .map(({ path, message }) => `${path}: ${message}`)
    .join("; ");
  const verdict = window ? (opening ? "open" : "closed") : "invalid";
  const times = [
    opening && `until ${timestamp(opening.end)}`,
    next ? `opens ${opening ? "again " : ""}${timestamp(next)}` : "never opens again",
  ].filter(Boolean);
  const attended = `${attendance.inside} inside, ${attendance.waiting} waiting`;
  const reason = problems || `${times.join(", ")}; ${attended}`;
  const fits = conditionOf(object, longEnough);
  const isTold = rests.length > 0 || fits !== undefined;
  const conditions = [readyCondition(problems), ...(isTold ? [longEnoughCondition(rests)] : [])];
  const written = withStatus(object, status, conditions, now);
  const { insideClusters: _inside, waitingClusters: _waiting, upgrades: _upgrades, ...rest } = status;
  const { waitingPools: _pools, ...counts } = rest;
  const outcome = (what: string, data: Readonly<Record<string, unknown>>) =>
    outcomeEvent({
      type: `dev.hubrelay.maintenance-window.${what}`,
      source: hubId,
      subject: `${namespace}/${name}`,
      from: object.metadata.resourceVersion ?? "",
      data: { window: { namespace, name }, ...data },
    });
  const isTooShort = rests.length > 0 && fits?.status !== "False";
  return {
    decision: { subject: displayName(referenceTo(object)), verdict, reason },
    issues,
    outcomes: [
      ...(wasOpen !== status.open ? [outcome(status.open ? "opened" : "closed", counts)] : []),
      ...(isTooShort ? [outcome("too-short", { clusterCount: rests.length, clusters: firstOf(rests) })] : []),
    ],
    actions: written ? [{ verb: "update-status", object: written, reason }] : [],
  };
}

/**
 * The state of every MaintenanceWindow at this moment, an outcome for each that has opened or closed, or was found too short, since the
 * last look, and hints for the clusters that begin, go on or stop. Pure; deciding again after the plan was applied writes
 * nothing.
 */
export function decide(snapshot: Snapshot): Plan {
  if (snapshot.isStatusChange) return { decisions: [], issues: [], outcomes: [], actions: [] };
  const { attendance, longRests, sends } = attend(snapshot);
  const nobody: Attendance = { inside: 0, waiting: 0 };
  const pools = waitingPools(snapshot.poolEvents);
  const looks = snapshot.windows.map((object) => {
    const name = nameOf({ namespace: namespaceOf(object), name: object.metadata.name });
    const rests = longRests.get(name) ?? [];
    return lookAt(object, attendance.get(name) ?? nobody, rests, pools.get(name) ?? [], snapshot);
  });
  return {
    decisions: looks.map(({ decision }) => decision),
    issues: looks.flatMap(({ issues }) => issues),
    outcomes: looks.flatMap(({ outcomes }) => outcomes),
    actions: looks.flatMap(({ actions }) => actions),
    sends,
  };
}
