import { hubEvent } from "#shared/domain/events/hub-event.ts";
import { isSameJson } from "#shared/domain/json/same-json.ts";
import { isStringList } from "#shared/domain/json/values.ts";
import { type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { outcomesAnnotation } from "#shared/domain/plan/kept-outcomes.ts";
import { type Action, type Decision, emptyPlan, type Plan, type Send } from "#shared/domain/plan/plan.ts";
import { feedbackQueue } from "#shared/domain/precache/model/cluster-event.ts";
import { isFinalState } from "#shared/domain/precache/model/cluster-state.ts";
import {
  conditionTypes,
  storedCondition,
  storedConditions,
  withUpgradeCondition,
} from "#shared/domain/precache/model/conditions.ts";
import { notDone } from "#shared/domain/precache/plan/plan-conditions.ts";
import { nextDeadline, nextRefresh } from "#shared/domain/precache/progress/deadlines.ts";
import { follow, statesFor } from "#shared/domain/precache/progress/follow.ts";
import { type PlannedUpgrade, withStates } from "#shared/domain/precache/progress/planned-upgrade.ts";
import {
  changedReports,
  currentUpgrade,
  plannedReconcile,
  type Records,
  recordsOf,
} from "#shared/domain/precache/progress/precaching-report.ts";
import { requestedRetries, withoutRetry } from "#shared/domain/precache/progress/retry.ts";
import { precachingSucceeded, tallyOf } from "#shared/domain/precache/progress/roll-up.ts";
import { isOldManifestWork } from "#shared/domain/precache/work/manifest-work.ts";
import { runOf } from "#shared/domain/precache/work/work-identity.ts";
import { clusterMessages } from "./cluster-messages.ts";
import { type Snapshot, worksByCluster } from "./observe.ts";
import { clusterOutcomes, endOutcomes } from "./outcomes.ts";
import { type SlotChanges, slotChanges } from "./slots.ts";

/** The limit of a message delay is 15 minutes; this is slightly less, so that it arrives in time. */
const maxDelayMs = 890_000;
/** Decisions about waiting clusters in one reconcile: thousands may wait, most for the same reason. */
const mostWaiting = 20;
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
  return { ...emptyPlan, decisions, actions, ...again };
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

/** Returns when time by itself changes something, or the clusters are to be read again. */
function nextReconcile(
  records: Records,
  { timeoutMinutes }: PlannedUpgrade,
  now: Date,
  isChanging: boolean,
): Date | undefined {
  let next = nextRefresh(records.values(), now, isChanging);
  for (const record of records.values()) {
    const due = nextDeadline(record, timeoutMinutes);
    if (due && (!next || due < next)) next = due;
  }
  return next;
}

/** A message that arrives this much before its time is the one that was sent for it: clocks differ. */
const clockSkewMs = 1_000;

/**
 * At most one message for later is in the queue. Otherwise every reconcile would send another, and thousands would
 * circulate. Its time is stored in the report, and replaced when it has passed or is too late.
 */
function scheduled(
  planned: Date | undefined,
  due: Date | undefined,
  now: Date,
): Readonly<{ at?: Date; isNew: boolean }> {
  if (!due) return { isNew: false };
  const wanted = Math.min(
    now.getTime() + maxDelayMs,
    Math.max(due.getTime(), now.getTime() + 2 * clockSkewMs),
  );
  const isWaiting = planned && planned.getTime() > now.getTime() + clockSkewMs;
  const isValid = isWaiting && planned.getTime() <= wanted + 5_000;
  return isValid ? { at: planned, isNew: false } : { at: new Date(wanted), isNew: true };
}

function laterMessage(cgu: KubernetesObject, at: Date, { now, hubId }: Snapshot): Send {
  const delaySeconds = Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1000));
  const events = [hubEvent("add", referenceTo(cgu), { source: hubId })];
  return { queue: feedbackQueue, events, delaySeconds, reason: "its clusters are read again" };
}

function summary(clusters: readonly string[], records: Records): string {
  const counts = Object.entries(
    Object.groupBy(clusters, (cluster) => records.get(cluster)?.state ?? "NotStarted"),
  ).map(([state, some = []]) => `${some.length} ${state}`);
  return counts.sort().join(", ");
}

/**
 * Planned, but without a cluster: nothing will start, and the condition says that nothing has. A cluster that has left
 * the plan starts again when it returns, so its state goes.
 */
function withoutClusters(
  subject: string,
  cgu: KubernetesObject,
  { reports, now }: Snapshot,
): Pick<Plan, "decisions" | "guard"> {
  const conditions = storedConditions(cgu.status);
  const { precaching } = Object(cgu.status);
  if (!isStringList(precaching?.clusters) || precaching.clusters.length > 0) return { decisions: [] };
  const isValid = storedCondition(conditions, conditionTypes.precacheSpecValid)?.status === "True";
  // Without outcomes or reports, the status is TALM's own.
  const isNew =
    isValid &&
    cgu.metadata.annotations?.[outcomesAnnotation] !== undefined &&
    !storedCondition(conditions, notDone.type);
  const isLeft = reports.length > 0 && !isSameJson(precaching.status ?? {}, {});
  if (!isNew && !isLeft) return { decisions: [] };
  const object = withStates(cgu, {}, isNew ? withUpgradeCondition(conditions, notDone, now) : conditions);
  const reason = isNew ? notDone.message : "no cluster is planned";
  const decisions = [{ subject, verdict: notDone.reason, reason }];
  return { decisions, guard: { verb: "update-status", object, reason } };
}

/**
 * Decides the progress of a ClusterGroupUpgrade: the state of each cluster from its ManifestWorks, deadlines and
 * retries, and then which clusters start, stop and continue. All of it is one write of the status, before the reports
 * and the messages to the clusters: of two reconciles at the same time, one is done and the other starts again. Pure;
 * idempotent once the plan is applied.
 */
export function decide(snapshot: Snapshot): Plan {
  const { cgu, reports, works, name, now, hubId, surroundings } = snapshot;
  const subject = `ClusterGroupUpgrade/${name.namespace}/${name.name}`;
  const isDeleted = cgu === undefined || "deletionTimestamp" in cgu.metadata;
  const upgrade = isDeleted ? undefined : currentUpgrade(cgu, reports);
  if (isDeleted || !upgrade) {
    const plan = cleanUp(subject, snapshot);
    if (isDeleted) return plan;
    const { decisions, ...status } = withoutClusters(subject, cgu, snapshot);
    return { ...plan, ...status, decisions: [...decisions, ...plan.decisions] };
  }

  const { clusters, revision } = upgrade;
  const before = recordsOf(reports, revision);
  const worksOf = worksByCluster(snapshot);
  const retry = works && requestedRetries(cgu);
  const followed = follow({ upgrade, records: before, worksOf, retry, now });
  const { changes, waiting }: SlotChanges = surroundings
    ? slotChanges({ upgrade, cgu, records: followed, surroundings, worksOf, now })
    : { changes: new Map(), waiting: new Map() };
  const after: Records = new Map(
    clusters.flatMap((cluster) => {
      const record = changes.get(cluster)?.record ?? followed.get(cluster);
      return record ? [[cluster, record] as const] : [];
    }),
  );
  const states = statesFor(after);

  const condition = precachingSucceeded(tallyOf(clusters, states));
  const present = storedConditions(cgu.status);
  const conditions = withUpgradeCondition(present, condition, now);
  const previous = storedCondition(present, conditionTypes.precachingSucceeded);
  const hasEnded =
    condition.reason !== "InProgress" &&
    (previous?.reason !== condition.reason || previous.status !== condition.status);

  const { at, isNew } = scheduled(
    plannedReconcile(reports, revision),
    nextReconcile(after, upgrade, now, changes.size > 0),
    now,
  );
  const changed = changedReports(reports, {
    cgu,
    name,
    revision,
    clusters,
    records: after,
    lookAt: at,
    now,
  });
  const isChanged =
    conditions !== present || !isSameJson(states, Object(cgu.status).precaching?.status ?? {});
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
    ...(retry
      ? [{ verb: "update" as const, object: withoutRetry(inStatus), reason: "its retry is under way" }]
      : []),
    ...outdated(upgrade, works ?? []).slice(0, maxRemovals),
  ];
  const guard: Action = {
    verb: "update-status",
    object: inStatus,
    reason: condition.message,
    outcomes: hasEnded ? endOutcomes(hubId, cgu, upgrade, written, after) : [],
  };
  const isOld = works?.some(isOldManifestWork)
    ? " The hub's ManifestWork kind is older than OCM API v1.0.0: only hubrelay removes finished work."
    : "";
  return {
    decisions: [
      { subject, verdict: condition.reason, reason: `${summary(clusters, after)}.${isOld}` },
      ...[...changes].map(
        ([cluster, { verdict, reason }]): Decision => ({
          subject: cluster,
          verdict,
          reason,
        }),
      ),
      ...[...waiting]
        .slice(0, mostWaiting)
        .map(([subject, reason]): Decision => ({ subject, verdict: "wait", reason })),
      ...ended.flatMap((cluster): Decision[] => {
        const record = after.get(cluster);
        return record
          ? [{ subject: cluster, verdict: record.state, reason: `${record.reason}: ${record.message}` }]
          : [];
      }),
    ],
    issues: [],
    ...(isChanged ? { guard } : {}),
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
    sends: [
      ...clusterMessages(upgrade, { before, after }, worksOf, snapshot),
      ...(isNew && at ? [laterMessage(cgu, at, snapshot)] : []),
    ],
    unread: snapshot.unread,
  };
}
