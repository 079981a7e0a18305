import { isSameJson } from "#shared/domain/json/same-json.ts";
import { fieldsOf, ownValue } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Action, Decision, Plan } from "#shared/domain/plan/plan.ts";
import { checkAnnotation } from "#shared/domain/precache/check/check-request.ts";
import { isFinalState } from "#shared/domain/precache/model/cluster-state.ts";
import {
  conditionTypes,
  storedCondition,
  storedConditions,
  withUpgradeCondition,
} from "#shared/domain/precache/model/conditions.ts";
import { follow, statesFor } from "#shared/domain/precache/progress/follow.ts";
import { type PlannedUpgrade, withStates } from "#shared/domain/precache/progress/planned-upgrade.ts";
import {
  changedReports,
  currentUpgrade,
  plannedReconcile,
  type Records,
  recordsOf,
} from "#shared/domain/precache/progress/precaching-report.ts";
import { retryAnnotation } from "#shared/domain/precache/progress/retry.ts";
import { precachingSucceeded, tallyOf } from "#shared/domain/precache/progress/roll-up.ts";
import { isOldManifestWork } from "#shared/domain/precache/work/manifest-work.ts";
import { checkChanges, checkedDecision, isCheckEnded, withoutRequests } from "./checks.ts";
import { clusterMessages } from "./cluster-messages.ts";
import { type Snapshot, worksByCluster } from "./observe.ts";
import { clusterOutcomes, endOutcomes, lostOutcomes } from "./outcomes.ts";
import { requiredReadiness, withReadinessCondition } from "./readiness.ts";
import { isBeingDeleted, outdatedRemovals } from "./removals.ts";
import { laterMessage, nextReconcile, scheduled } from "./schedule.ts";
import { type SlotChanges, slotChanges } from "./slots.ts";
import { decideUnplanned } from "./unplanned.ts";

/** Decisions about waiting clusters in one reconcile: thousands may wait, most for the same reason. */
const mostWaiting = 20;

/** The records of all clusters before and after this reconcile, and why they change. */
type Progress = SlotChanges &
  Readonly<{
    before: Records;
    after: Records;
    /** The clusters whose run ends with this reconcile. */
    ended: readonly string[];
    worksOf: ReturnType<typeof worksByCluster>;
    /** The clusters whose check ends with this reconcile. */
    checked: readonly string[];
    checks: ReturnType<typeof checkChanges>;
    /** What users request by annotations, and is under way now. */
    requests: readonly ("retry" | "check")[];
  }>;

/** Returns the clusters that an annotation names, or a word for several of them; undefined without the annotation. */
function requestedClusters({ metadata }: KubernetesObject, annotation: string): Set<string> | undefined {
  const names = ownValue(metadata.annotations, annotation)
    ?.split(",")
    .map((name) => name.trim());
  return names && new Set(names.filter(Boolean));
}

function progressOf(cgu: KubernetesObject, upgrade: PlannedUpgrade, snapshot: Snapshot): Progress {
  const { reports, works, now, surroundings } = snapshot;
  const { clusters, revision } = upgrade;
  const before = recordsOf(reports, revision);
  const worksOf = worksByCluster(snapshot);
  const retry = works && requestedClusters(cgu, retryAnnotation);
  const requested = works && requestedClusters(cgu, checkAnnotation);
  const followed = follow({ upgrade, records: before, worksOf, retry, now });
  const checks: Progress["checks"] = surroundings
    ? checkChanges({ cgu, upgrade, records: followed, surroundings, requested, now })
    : new Map();
  const records: Records = new Map(
    [...followed].map(([cluster, record]) => [cluster, checks.get(cluster)?.record ?? record]),
  );
  const { changes, waiting }: SlotChanges = surroundings
    ? slotChanges({ upgrade, cgu, records, surroundings, worksOf, now })
    : { changes: new Map(), waiting: new Map() };
  const after: Records = new Map(
    clusters.flatMap((cluster) => {
      const record = changes.get(cluster)?.record ?? records.get(cluster);
      return record ? [[cluster, record] as const] : [];
    }),
  );
  const ended = clusters.filter(
    (cluster) => isFinalState(after.get(cluster)?.state) && !isFinalState(before.get(cluster)?.state),
  );
  const checked = clusters.filter((cluster) => isCheckEnded(before.get(cluster), after.get(cluster)));
  const requests = [...(retry ? ["retry" as const] : []), ...(requested ? ["check" as const] : [])];
  return { before, after, changes, waiting, ended, worksOf, checked, checks, requests };
}

function summary(clusters: readonly string[], records: Records): string {
  const counts = Object.entries(
    Object.groupBy(clusters, (cluster) => records.get(cluster)?.state ?? "NotStarted"),
  ).map(([state, some = []]) => `${some.length} ${state}`);
  return counts.sort().join(", ");
}

function clusterDecisions(progress: Progress): readonly Decision[] {
  const { changes, checks, waiting, ended, checked, after } = progress;
  const changed = [...checks, ...changes].map(
    ([subject, { verdict, reason }]): Decision => ({ subject, verdict, reason }),
  );
  const kept = [...waiting]
    .slice(0, mostWaiting)
    .map(([subject, reason]): Decision => ({ subject, verdict: "wait", reason }));
  const finished = ended.flatMap((subject): Decision[] => {
    const record = after.get(subject);
    return record ? [{ subject, verdict: record.state, reason: `${record.reason}: ${record.message}` }] : [];
  });
  const results = checked.flatMap((subject) => {
    const record = after.get(subject);
    return record ? [checkedDecision(subject, record)] : [];
  });
  return [...results, ...changed, ...kept, ...finished];
}

function decidePlanned(
  subject: string,
  cgu: KubernetesObject,
  upgrade: PlannedUpgrade,
  snapshot: Snapshot,
): Plan {
  const { reports, works, name, now, hubId, surroundings } = snapshot;
  const about = { hubId, cgu, upgrade };
  const { clusters, revision } = upgrade;
  const progress = progressOf(cgu, upgrade, snapshot);
  const { before, after, changes, ended, checked, worksOf, requests } = progress;
  const states = statesFor(after);
  const counts = summary(clusters, after);

  const condition = precachingSucceeded(tallyOf(clusters, states));
  const present = storedConditions(cgu.status);
  const followed = withUpgradeCondition(present, condition, now);
  const conditions =
    surroundings && !upgrade.isOver
      ? withReadinessCondition(followed, requiredReadiness(cgu, upgrade, surroundings), now)
      : followed;
  const previous = storedCondition(present, conditionTypes.precachingSucceeded);
  const written = storedCondition(conditions, conditionTypes.precachingSucceeded);
  const hasEnded =
    condition.reason !== "InProgress" &&
    (previous?.reason !== condition.reason || previous.status !== condition.status);
  const isChanged =
    conditions !== present || !isSameJson(states, fieldsOf(fieldsOf(cgu.status).precaching).status ?? {});
  const inStatus = isChanged ? withStates(cgu, states, conditions) : cgu;
  const guard: Action = {
    verb: "update-status",
    object: inStatus,
    reason: condition.message,
    outcomes: hasEnded ? endOutcomes(about, written, after) : [],
  };

  const due = nextReconcile(after, upgrade, now, changes.size > 0);
  const later = scheduled(plannedReconcile(reports, revision), due, now);
  const reportActions = changedReports(reports, {
    cgu,
    name,
    revision,
    clusters,
    records: after,
    lookAt: later.at,
    now,
  }).map((object): Action => {
    const verb = object.metadata.resourceVersion ? "update" : "create";
    const inReport = (cluster: string) => Object.hasOwn(fieldsOf(object.clusters), cluster);
    const outcomes = [
      ...clusterOutcomes(about, ended.filter(inReport), after),
      ...lostOutcomes(about, checked.filter(inReport), after),
    ];
    return { verb, object, reason: counts, outcomes };
  });
  const requestAction: Action = {
    verb: "update",
    object: withoutRequests(inStatus),
    reason: `its ${requests.join(" and its ")} is under way`,
  };
  const isOld = works?.some(isOldManifestWork)
    ? " The hub's ManifestWork kind is older than OCM API v1.0.0: only hubrelay removes finished work."
    : "";
  return {
    decisions: [
      { subject, verdict: condition.reason, reason: `${counts}.${isOld}` },
      ...clusterDecisions(progress),
    ],
    issues: [],
    ...(isChanged ? { guard } : {}),
    actions: [
      ...reportActions,
      ...(requests.length > 0 ? [requestAction] : []),
      ...outdatedRemovals(upgrade, works ?? [], after, now),
    ],
    standing: (since) => {
      const isRecent = (time = "") => Date.parse(time) >= since.getTime();
      const recent = clusters.filter((cluster) => isRecent(before.get(cluster)?.since));
      const checks = clusters.filter((cluster) => isRecent(before.get(cluster)?.check?.checked));
      return [
        ...clusterOutcomes(about, recent, before),
        ...lostOutcomes(about, checks, before),
        ...endOutcomes(about, previous, before),
      ];
    },
    sends: [
      ...clusterMessages(upgrade, { before, after }, worksOf, snapshot),
      ...(later.isNew && later.at ? [laterMessage(cgu, later.at, snapshot)] : []),
    ],
    unread: snapshot.unread,
  };
}

/**
 * Decides the progress of a ClusterGroupUpgrade: the state of each cluster from its ManifestWorks, deadlines and
 * retries, and then which clusters start, stop and continue. All of it is one write of the status, before the reports
 * and the messages to the clusters: of two reconciles at the same time, one is done and the other starts again. Pure;
 * idempotent once the plan is applied.
 */
export function decide(snapshot: Snapshot): Plan {
  const { cgu, reports, name } = snapshot;
  const subject = `ClusterGroupUpgrade/${name.namespace}/${name.name}`;
  const upgrade = cgu && !isBeingDeleted(cgu) ? currentUpgrade(cgu, reports) : undefined;
  return cgu && upgrade ? decidePlanned(subject, cgu, upgrade, snapshot) : decideUnplanned(subject, snapshot);
}
