import type { Condition } from "#shared/domain/kubernetes/conditions.ts";
import { fieldsOf, isSameJson } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Action, Plan } from "#shared/domain/plan/plan.ts";
import { statesFor } from "#shared/domain/precache-model/cluster-record.ts";
import {
  conditionTypes,
  type StoredCondition,
  storedCondition,
  storedConditions,
  withUpgradeCondition,
} from "#shared/domain/precache-model/conditions.ts";
import { type PlannedUpgrade, withStates } from "#shared/domain/precache-model/planned-upgrade.ts";
import {
  changedReports,
  currentUpgrade,
  plannedReconcile,
} from "#shared/domain/precache-model/precaching-report.ts";
import { precachingSucceeded, tallyOf } from "#shared/domain/precache-progress/roll-up.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { withoutRequests } from "./checks.ts";
import { clusterMessages, laterMessage, nextReconcile, scheduled } from "./cluster-messages.ts";
import type { Snapshot } from "./observe.ts";
import { type About, endOutcomes, failedOutcomes, lostOutcomes } from "./outcomes.ts";
import { clusterDecisions, type Progress, progressOf, summary } from "./progress.ts";
import { withReadinessCondition } from "./readiness.ts";
import { isBeingDeleted, outdatedRemovals } from "./removals.ts";
import { decideUnplanned } from "./unplanned.ts";

/**
 * Returns the plan for the progress of an upgrade: its status, its reports, removals and messages. The status is
 * written first, so that only one of two concurrent reconciles continues; the other starts again.
 */
export function decide(snapshot: Snapshot): Plan {
  const { cgu, reports, name } = snapshot;
  const subject = `ClusterGroupUpgrade/${name.namespace}/${name.name}`;
  const upgrade = cgu && !isBeingDeleted(cgu) ? currentUpgrade(cgu, reports) : undefined;
  return cgu && upgrade ? decidePlanned(subject, cgu, upgrade, snapshot) : decideUnplanned(subject, snapshot);
}

type StatusChange = Readonly<{
  cgu: KubernetesObject;
  condition: Condition;
  isChanged: boolean;
  /** The condition about pre-caching in the stored status. `written` is this condition in the new status. */
  previous: StoredCondition | undefined;
  written: StoredCondition | undefined;
}>;

function statusChange(
  cgu: KubernetesObject,
  upgrade: PlannedUpgrade,
  progress: Progress,
  snapshot: Snapshot,
): StatusChange {
  const { surroundings, now } = snapshot;
  const states = statesFor(progress.after);
  const condition = precachingSucceeded(tallyOf(upgrade.clusters, states));
  const present = storedConditions(cgu.status);
  const followed = withUpgradeCondition(present, condition, now);
  const conditions =
    surroundings && !upgrade.isOver ? withReadinessCondition(followed, progress.readiness, now) : followed;
  const isChanged =
    conditions !== present || !isSameJson(states, fieldsOf(fieldsOf(cgu.status).precaching).status ?? {});
  return {
    cgu: isChanged ? withStates(cgu, states, conditions) : cgu,
    condition,
    isChanged,
    previous: storedCondition(present, conditionTypes.precachingSucceeded),
    written: storedCondition(conditions, conditionTypes.precachingSucceeded),
  };
}

function statusAction(about: About, { after }: Progress, change: StatusChange): Action {
  const { cgu, condition, previous, written } = change;
  const hasEnded =
    condition.reason !== "InProgress" &&
    (previous?.reason !== condition.reason || previous.status !== condition.status);
  return {
    verb: "update-status",
    object: cgu,
    reason: condition.message,
    outcomes: hasEnded ? endOutcomes(about, written, after) : [],
  };
}

function reportActions(
  about: About,
  { ended, checked, after }: Progress,
  { reports, name, now }: Snapshot,
  later: Date | undefined,
): readonly Action[] {
  const { cgu, upgrade } = about;
  const { clusters, revision } = upgrade;
  const reason = summary(clusters, after);
  const content = { cgu, name, revision, clusters, records: after, lookAt: later, now };
  return changedReports(reports, content).map((object): Action => {
    const verb = object.metadata.resourceVersion ? "update" : "create";
    const inReport = (cluster: string) => Object.hasOwn(fieldsOf(object.clusters), cluster);
    const outcomes = [
      ...failedOutcomes(about, ended.filter(inReport), after),
      ...lostOutcomes(about, checked.filter(inReport), after),
    ];
    return { verb, object, reason, outcomes };
  });
}

function requestActions({ requests }: Progress, cgu: KubernetesObject): readonly Action[] {
  if (requests.length === 0) return [];
  const reason = sentence`its ${requests.join(" and its ")} is under way`;
  return [{ verb: "update", object: withoutRequests(cgu), reason }];
}

/** Returns outcomes of recorded states again: an earlier process may not have published them. */
function standingOutcomes(
  about: About,
  { before }: Progress,
  previous: StoredCondition | undefined,
): NonNullable<Plan["standing"]> {
  const { clusters } = about.upgrade;
  return (since) => {
    const isRecent = (time = "") => Date.parse(time) >= since.getTime();
    const recent = clusters.filter((cluster) => isRecent(before.get(cluster)?.since));
    const checks = clusters.filter((cluster) => isRecent(before.get(cluster)?.check?.checked));
    return [
      ...failedOutcomes(about, recent, before),
      ...lostOutcomes(about, checks, before),
      ...endOutcomes(about, previous, before),
    ];
  };
}

function decidePlanned(
  subject: string,
  cgu: KubernetesObject,
  upgrade: PlannedUpgrade,
  snapshot: Snapshot,
): Plan {
  const { reports, works = [], now, hubId } = snapshot;
  const about = { hubId, cgu, upgrade };
  const progress = progressOf(cgu, upgrade, snapshot);
  const { before, after, changes, worksOf } = progress;
  const change = statusChange(cgu, upgrade, progress, snapshot);
  const due = nextReconcile(after, upgrade, now, changes.size > 0);
  const later = scheduled(plannedReconcile(reports, upgrade.revision), due, now);
  const reason = `${summary(upgrade.clusters, after)}.`;
  return {
    decisions: [{ subject, verdict: change.condition.reason, reason }, ...clusterDecisions(progress)],
    issues: [],
    ...(change.isChanged ? { guard: statusAction(about, progress, change) } : {}),
    actions: [
      ...reportActions(about, progress, snapshot, later.at),
      ...requestActions(progress, change.cgu),
      ...outdatedRemovals(upgrade, works, after, now),
    ],
    standing: standingOutcomes(about, progress, change.previous),
    sends: [
      ...clusterMessages(upgrade, { before, after }, worksOf, snapshot),
      ...(later.isNew && later.at ? [laterMessage(cgu, later.at, snapshot)] : []),
    ],
    unread: snapshot.unread,
  };
}
