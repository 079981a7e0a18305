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
  plannedLook,
  type Records,
  recordsOf,
} from "#shared/domain/precache/progress/precaching-report.ts";
import { retryWish, withoutRetry } from "#shared/domain/precache/progress/retry.ts";
import { precachingSucceeded, tallyOf } from "#shared/domain/precache/progress/roll-up.ts";
import { isOldManifestWork } from "#shared/domain/precache/work/manifest-work.ts";
import { runOf } from "#shared/domain/precache/work/work-identity.ts";
import type { Snapshot } from "./observe.ts";
import { clusterOutcomes, endOutcomes } from "./outcomes.ts";
import { requeuesFor } from "./requeues.ts";

const nothing: Plan = { decisions: [], issues: [], actions: [] };

/** A message is delayed by a quarter of an hour at most; a little less, so that it comes before its time. */
const longestWaitMs = 890_000;
/** Removals in one look: thousands take longer than a look may. */
const mostRemovals = 500;

const deletion = (object: KubernetesObject, reason: string): Action => ({
  verb: "delete",
  object,
  reason,
  accepts: "NotFound",
});

/** Takes away what was made for a CGU that is gone, or that has nothing to pre-cache any more. */
function cleared(subject: string, { works = [], reports, now }: Snapshot): Plan {
  const left = [...works.filter(({ metadata }) => !("deletionTimestamp" in metadata)), ...reports];
  const actions = left
    .slice(0, mostRemovals)
    .map((object) => deletion(object, "nothing is planned that it belongs to"));
  const again = left.length > actions.length ? { requeueAt: new Date(now.getTime() + 1_000) } : {};
  const decisions: Decision[] =
    left.length > 0
      ? [{ subject, verdict: "cleared", reason: `${left.length} objects belong to nothing that is planned` }]
      : [];
  return { ...nothing, decisions, actions, ...again };
}

/** ManifestWorks of an earlier content: the newer run takes their place, what was pulled stays. */
function outdated(upgrade: PlannedUpgrade, works: readonly KubernetesObject[]): readonly Action[] {
  return works
    .filter((work) => {
      const run = runOf(work);
      return run && run.revision !== upgrade.revision && !("deletionTimestamp" in work.metadata);
    })
    .map((work) => deletion(work, `revision ${upgrade.revision} takes its place`));
}

/** A claim that nobody acts upon is looked after again and again, but not at every look. */
function nextClaimLook(since: string, now: Date): number {
  const begun = Date.parse(since);
  const periodMs = staleClaimSeconds * 1000;
  return begun + periodMs * Math.max(1, Math.floor((now.getTime() - begun) / periodMs) + 1);
}

/** When time alone changes something, if ever: a deadline, or a claim that nobody acts upon. */
function soonest(records: Records, { timeoutMinutes }: PlannedUpgrade, now: Date): Date | undefined {
  let first = Number.POSITIVE_INFINITY;
  for (const record of records.values()) {
    if (record.state === "PreparingToStart") first = Math.min(first, nextClaimLook(record.since, now));
    const due = nextDeadline(record, timeoutMinutes);
    if (due) first = Math.min(first, due.getTime());
  }
  return Number.isFinite(first) ? new Date(first) : undefined;
}

/**
 * The one look that is planned: every look would else plan another, and thousands of messages would go round. It is
 * remembered in the report, and planned anew when it has passed or comes too late.
 */
function nextLook(
  planned: Date | undefined,
  due: Date | undefined,
  now: Date,
): Readonly<{ lookAt?: Date; isNew: boolean }> {
  if (!due) return { isNew: false };
  const wanted = Math.min(now.getTime() + longestWaitMs, Math.max(due.getTime(), now.getTime() + 1_000));
  const stands = planned && planned > now && planned.getTime() <= wanted + 5_000;
  return stands ? { lookAt: planned, isNew: false } : { lookAt: new Date(wanted), isNew: true };
}

function summary(clusters: readonly string[], records: Records): string {
  const counts = Object.entries(
    Object.groupBy(clusters, (cluster) => records.get(cluster)?.state ?? "NotStarted"),
  ).map(([state, some = []]) => `${some.length} ${state}`);
  return counts.sort().join(", ");
}

/**
 * From what is new about the clusters of a ClusterGroupUpgrade to its status, in one write for all of them: states
 * and condition as TALM has them, reasons and progress in PreCachingReports, and hints about the clusters that
 * have something to do. Pure; deciding again after the plan was applied writes nothing.
 */
export function decide(snapshot: Snapshot): Plan {
  const { cgu, reports, works, name, now, hubId } = snapshot;
  const subject = `ClusterGroupUpgrade/${name.namespace}/${name.name}`;
  const upgrade = cgu && !("deletionTimestamp" in cgu.metadata) ? plannedUpgrade(cgu) : undefined;
  if (!cgu || !upgrade) return cleared(subject, snapshot);

  const { clusters, revision } = upgrade;
  const before = recordsOf(reports, revision);
  const retry = retryWish(cgu);
  const { records: after } = follow({ ...snapshot, upgrade, records: before, retry });
  const states = statesFor(after);

  const condition = precachingSucceeded(tallyOf(clusters, states));
  const present = storedConditions(cgu.status);
  const conditions = withUpgradeCondition(present, condition, now);
  const had = storedCondition(present, conditionTypes.precachingSucceeded);
  const hasEnded =
    condition.reason !== "InProgress" &&
    (had?.reason !== condition.reason || had.status !== condition.status);

  const { lookAt, isNew } = nextLook(plannedLook(reports, revision), soonest(after, upgrade, now), now);
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
    ...outdated(upgrade, works ?? []).slice(0, mostRemovals),
  ];
  const isOld = works?.some(isOldManifestWork)
    ? " The hub's ManifestWork kind is older than OCM API v1.0.0: finished work is removed by hubrelay alone."
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
        ...endOutcomes(hubId, cgu, upgrade, had, before),
      ];
    },
    sends: requeuesFor(upgrade, before, after, snapshot),
    unread: snapshot.unread,
    ...(isNew && lookAt ? { requeueAt: lookAt } : {}),
  };
}
