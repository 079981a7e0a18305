import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isSameJson } from "#shared/domain/json/same-json.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import { type Condition, conditionOf, withCondition } from "#shared/domain/kubernetes/conditions.ts";
import { displayName, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { timestamp } from "#shared/domain/kubernetes/timestamp.ts";
import type { Action, Decision, Plan } from "#shared/domain/plan/plan.ts";
import { waitingPools } from "#shared/domain/windows/cost-window.ts";
import { readMaintenanceWindow } from "#shared/domain/windows/maintenance-window.ts";
import { nextStart, openingAt } from "#shared/domain/windows/openings.ts";
import { maintenanceWindowIssues } from "#shared/domain/windows/validate-windows.ts";
import { nameOf, namespaceOf } from "#shared/domain/windows/window-names.ts";
import type { Snapshot } from "./observe.ts";
import { firstOf, longEnough, longEnoughCondition, type OversizedDownload } from "./oversized-downloads.ts";
import { type WindowUsage, windowUsage } from "./window-usage.ts";

type Look = Readonly<{
  decision: Decision;
  issues: readonly Issue[];
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

function windowOutcome(
  { metadata }: KubernetesObject,
  hubId: string,
  what: "opened" | "closed" | "too-short",
  at: unknown,
  data: Readonly<Record<string, unknown>>,
): OutcomeEvent {
  const { namespace = "", name } = metadata;
  return outcomeEvent({
    type: `dev.hubrelay.maintenance-window.${what}`,
    source: hubId,
    subject: `${namespace}/${name}`,
    from: `${at}`,
    // Counts and names of clusters change from minute to minute.
    identity: {},
    data: { window: { namespace, name }, ...data },
  });
}

/** Returns what the status of a window says about its last opening or closing; nothing where it has had none. */
function changeOutcomes(object: KubernetesObject, hubId: string): readonly OutcomeEvent[] {
  const { changedAt, open, observedGeneration, closesAt, nextOpening, inside, waiting } = Object(
    object.status,
  );
  if (changedAt === undefined) return [];
  const data = { observedGeneration, open, closesAt, nextOpening, inside, waiting };
  return [windowOutcome(object, hubId, open ? "opened" : "closed", changedAt, data)];
}

/** Returns the outcome of a window that is too short, as the condition in its status dates it. */
function shortOutcomes(
  object: KubernetesObject,
  hubId: string,
  rests: readonly OversizedDownload[],
): readonly OutcomeEvent[] {
  const condition = conditionOf(object, longEnough);
  if (rests.length === 0 || condition?.status !== "False") return [];
  const data = { clusterCount: rests.length, clusters: firstOf(rests) };
  return [windowOutcome(object, hubId, "too-short", condition.lastTransitionTime, data)];
}

/** What one window is at this moment. */
function lookAt(
  object: KubernetesObject,
  usage: WindowUsage,
  rests: readonly OversizedDownload[],
  pools: readonly string[],
  { now, hubId }: Snapshot,
): Look {
  const { window } = readMaintenanceWindow(object);
  const issues = maintenanceWindowIssues(object, now);
  const { generation } = object.metadata;
  const opening = window && openingAt(window, now);
  const next = window && nextStart(window, now);
  const { open: wasOpen = false, changedAt } = Object(object.status);
  const isChanged = wasOpen !== (opening !== undefined);
  const changed = isChanged ? timestamp(now) : changedAt;
  const status: WindowUsage & Readonly<Record<string, unknown>> = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    open: opening !== undefined,
    ...(changed === undefined ? {} : { changedAt: changed }),
    ...(opening ? { closesAt: timestamp(opening.end) } : {}),
    ...(next ? { nextOpening: timestamp(next) } : {}),
    ...usage,
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
  const attended = `${usage.inside} inside, ${usage.waiting} waiting`;
  const reason = problems || `${times.join(", ")}; ${attended}`;
  const fits = conditionOf(object, longEnough);
  const isTold = rests.length > 0 || fits !== undefined;
  const conditions = [readyCondition(problems), ...(isTold ? [longEnoughCondition(rests)] : [])];
  const written = withStatus(object, status, conditions, now);
  const outcomes = written && [
    ...(isChanged ? changeOutcomes(written, hubId) : []),
    ...(fits?.status === "False" ? [] : shortOutcomes(written, hubId, rests)),
  ];
  return {
    decision: { subject: displayName(referenceTo(object)), verdict, reason },
    issues,
    actions: outcomes ? [{ verb: "update-status", object: written, reason, outcomes }] : [],
  };
}

/**
 * The state of every MaintenanceWindow at this moment, an outcome for each that has opened or closed, or was found too short, since the
 * last look, and hints for the clusters that begin, go on or stop. Pure; deciding again after the plan was applied writes
 * nothing.
 */
export function decide(snapshot: Snapshot): Plan {
  const { windows, hubId } = snapshot;
  const standing = () => windows.flatMap((object) => changeOutcomes(object, hubId));
  if (snapshot.isStatusChange) return { decisions: [], issues: [], actions: [], standing };
  const { usage, oversizedDownloads, sends } = windowUsage(snapshot);
  const nobody: WindowUsage = { inside: 0, waiting: 0 };
  const pools = waitingPools(snapshot.poolEvents);
  const nameIn = (object: KubernetesObject) =>
    nameOf({ namespace: namespaceOf(object), name: object.metadata.name });
  const restsIn = (object: KubernetesObject) => oversizedDownloads.get(nameIn(object)) ?? [];
  const looks = windows.map((object) => {
    const name = nameIn(object);
    const present = usage.get(name) ?? nobody;
    return lookAt(object, present, restsIn(object), pools.get(name) ?? [], snapshot);
  });
  return {
    decisions: looks.map(({ decision }) => decision),
    issues: looks.flatMap(({ issues }) => issues),
    actions: looks.flatMap(({ actions }) => actions),
    standing: () => [
      ...standing(),
      ...windows.flatMap((object) => shortOutcomes(object, hubId, restsIn(object))),
    ],
    sends,
  };
}
