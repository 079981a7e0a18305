import { isSameJson } from "#shared/domain/json/same-json.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Action, Decision, Plan } from "#shared/domain/plan/plan.ts";
import { isFinalState } from "#shared/domain/precache/model/cluster-state.ts";
import {
  conditionTypes,
  storedCondition,
  storedConditions,
  withUpgradeCondition,
} from "#shared/domain/precache/model/conditions.ts";
import { nextDeadline, staleClaimSeconds } from "#shared/domain/precache/progress/cluster-record.ts";
import { follow, statesFor } from "#shared/domain/precache/progress/follow.ts";
import {
  type PlannedUpgrade,
  plannedUpgrade,
  withStates,
} from "#shared/domain/precache/progress/planned-upgrade.ts";
import {
  changedReports,
  plannedReconcile,
  type Records,
  recordsOf,
} from "#shared/domain/precache/progress/precaching-report.ts";
import { requestedRetries, withoutRetry } from "#shared/domain/precache/progress/retry.ts";
import { precachingSucceeded, tallyOf } from "#shared/domain/precache/progress/roll-up.ts";
import { isOldManifestWork } from "#shared/domain/precache/work/manifest-work.ts";
import { runOf } from "#shared/domain/precache/work/work-identity.ts";
import type { Snapshot } from "./observe.ts";
import { clusterOutcomes, endOutcomes } from "./outcomes.ts";
import { requeuesFor } from "./requeues.ts";

const nothing: Plan = { decisions: [], issues: [], actions: [] };

/** The limit of a message delay is 15 minutes; this is slightly less, so that it arrives in time. */
const maxDelayMs = 890_000;
/** Removals in one reconcile: thousands would take too long. */
const maxRemovals = 500;

const deletion = (object: KubernetesObject, reason: string): Action => ({
  verb: "delete",
  object,
  reason,
  accepts: "NotFound",
});

/** Removes the objects of a CGU that was deleted, or that has nothing to pre-cache any more. */
function cleanUp(subject: string, { works = [], reports, now }: Snapshot): Plan {
  const left = [...works.filter(({ metadata }) => !("deletionTimestamp" in metadata)), ...reports];
  const actions = left
    .slice(0, maxRemovals)
    .map((object) => deletion(object, "belongs to no planned upgrade"));
  const again = left.length > actions.length ? { requeueAt: new Date(now.getTime() + 1_000) } : {};
  const decisions: Decision[] =
    left.length > 0
      ? [{ subject, verdict: "cleared", reason: `${left.length} objects belong to no planned upgrade` }]
      : [];
  return { ...nothing, decisions, actions, ...again };
}

/** Returns the removals of ManifestWorks for earlier content: the newer run replaces them, and pulled layers stay. */
function outdated(upgrade: PlannedUpgrade, works: readonly KubernetesObject[]): readonly Action[] {
  return works
    .filter((work) => {
      const run = runOf(work);
      return run && run.revision !== upgrade.revision && !("deletionTimestamp" in work.metadata);
    })
    .map((work) => deletion(work, `revision ${upgrade.revision} replaces it`));
}

/** A claim without a ManifestWork is checked repeatedly, but not at every reconcile. */
function nextClaimCheck(since: string, now: Date): number {
  const begun = Date.parse(since);
  const periodMs = staleClaimSeconds * 1000;
  return begun + periodMs * Math.max(1, Math.floor((now.getTime() - begun) / periodMs) + 1);
}

/** Returns when time by itself changes something, if ever: a deadline, or a stale claim. */
function soonest(records: Records, { timeoutMinutes }: PlannedUpgrade, now: Date): Date | undefined {
  let first = Number.POSITIVE_INFINITY;
  for (const record of records.values()) {
    if (record.state === "PreparingToStart") first = Math.min(first, nextClaimCheck(record.since, now));
    const due = nextDeadline(record, timeoutMinutes);
    if (due) first = Math.min(first, due.getTime());
  }
  return Number.isFinite(first) ? new Date(first) : undefined;
}

/**
 * At most one requeue is scheduled. Otherwise every reconcile would schedule another, and thousands of messages would
 * circulate. Its time is stored in the report, and replaced when it has passed or is too late.
 */
function nextRequeue(
  planned: Date | undefined,
  due: Date | undefined,
  now: Date,
): Readonly<{ lookAt?: Date; isNew: boolean }> {
  if (!due) return { isNew: false };
  const wanted = Math.min(now.getTime() + maxDelayMs, Math.max(due.getTime(), now.getTime() + 1_000));
  const isValid = planned && planned > now && planned.getTime() <= wanted + 5_000;
  return isValid ? { lookAt: planned, isNew: false } : { lookAt: new Date(wanted), isNew: true };
}

function summary(clusters: readonly string[], records: Records): string {
  const counts = Object.entries(
    Object.groupBy(clusters, (cluster) => records.get(cluster)?.state ?? "NotStarted"),
  ).map(([state, some = []]) => `${some.length} ${state}`);
  return counts.sort().join(", ");
}

/**
 * Decides the status of a ClusterGroupUpgrade from what has changed about its clusters, in one write for all of them:
 * states and condition as in TALM, reasons and progress in PreCachingReports, and hints about the clusters that have
 * something to do. Pure; idempotent once the plan is applied.
 */
export function decide(snapshot: Snapshot): Plan {
  const { cgu, reports, works, name, now, hubId } = snapshot;
  const subject = `ClusterGroupUpgrade/${name.namespace}/${name.name}`;
  const upgrade = cgu && !("deletionTimestamp" in cgu.metadata) ? plannedUpgrade(cgu) : undefined;
  if (!cgu || !upgrade) return cleanUp(subject, snapshot);

  const { clusters, revision } = upgrade;
  const before = recordsOf(reports, revision);
  const retry = requestedRetries(cgu);
  const { records: after } = follow({ ...snapshot, upgrade, records: before, retry });
  const states = statesFor(after);

  const condition = precachingSucceeded(tallyOf(clusters, states));
  const present = storedConditions(cgu.status);
  const conditions = withUpgradeCondition(present, condition, now);
  const previous = storedCondition(present, conditionTypes.precachingSucceeded);
  const hasEnded =
    condition.reason !== "InProgress" &&
    (previous?.reason !== condition.reason || previous.status !== condition.status);

  const { lookAt, isNew } = nextRequeue(
    plannedReconcile(reports, revision),
    soonest(after, upgrade, now),
    now,
  );
  const changed = changedReports(reports, {
    cgu,
    name,
    revision,
    clusters,
    records: after,
    lookAt,
    now,
  });
  const isChanged = conditions !== present || !isSameJson(states, upgrade.states);
  const inStatus = isChanged ? withStates(cgu, states, conditions) : cgu;
  const ended = clusters.filter(
    (cluster) => isFinalState(after.get(cluster)?.state) && !isFinalState(before.get(cluster)?.state),
  );
  const written = storedCondition(conditions, conditionTypes.precachingSucceeded);
  const actions: Action[] = [
    ...changed.map((object): Action => {
      const verb = object.metadata.resourceVersion ? "update" : "create";
      const own = ended.filter((cluster) => Object.hasOwn(Object(object.clusters), cluster));
      const outcomes = clusterOutcomes(hubId, cgu, upgrade, own, after);
      return { verb, object, reason: summary(clusters, after), outcomes };
    }),
    ...(isChanged
      ? [
          {
            verb: "update-status" as const,
            object: inStatus,
            reason: condition.message,
            outcomes: hasEnded ? endOutcomes(hubId, cgu, upgrade, written, after) : [],
          },
        ]
      : []),
    ...(retry
      ? [{ verb: "update" as const, object: withoutRetry(inStatus), reason: "its retry is under way" }]
      : []),
    ...outdated(upgrade, works ?? []).slice(0, maxRemovals),
  ];
  const isOld = works?.some(isOldManifestWork)
    ? " The hub's ManifestWork kind is older than OCM API v1.0.0: only hubrelay removes finished work."
    : "";
  return {
    decisions: [
      { subject, verdict: condition.reason, reason: `${summary(clusters, after)}.${isOld}` },
      ...ended.flatMap((cluster): Decision[] => {
        const record = after.get(cluster);
        return record
          ? [{ subject: cluster, verdict: record.state, reason: `${record.reason}: ${record.message}` }]
          : [];
      }),
    ],
    issues: [],
    actions,
    standing: (since) => {
      const recent = clusters.filter(
        (cluster) => Date.parse(before.get(cluster)?.since ?? "") >= since.getTime(),
      );
      return [
        ...clusterOutcomes(hubId, cgu, upgrade, recent, before),
        ...endOutcomes(hubId, cgu, upgrade, previous, before),
      ];
    },
    sends: requeuesFor(upgrade, before, after, snapshot),
    unread: snapshot.unread,
    ...(isNew && lookAt ? { requeueAt: lookAt } : {}),
  };
}
