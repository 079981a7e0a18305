import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { ObjectReference } from "#shared/domain/kubernetes/object.ts";
import type { Send } from "#shared/domain/plan/plan.ts";
import { clusterEvent, clusterQueue } from "#shared/domain/precache/model/cluster-event.ts";
import { isFinalState, isRunningState } from "#shared/domain/precache/model/cluster-state.ts";
import {
  conditionTypes,
  storedCondition,
  storedConditions,
} from "#shared/domain/precache/model/conditions.ts";
import {
  type ClusterRecord,
  isEndedByHub,
  isReturned,
  isStaleClaim,
  releasesSlot,
  staleClaimSeconds,
} from "#shared/domain/precache/progress/cluster-record.ts";
import type { PlannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import type { Records } from "#shared/domain/precache/progress/precaching-report.ts";
import { workName } from "#shared/domain/precache/work/work-identity.ts";
import type { Snapshot } from "./observe.ts";

/** After this time, the removal of an ended run is considered lost rather than in progress. */
const forgottenSeconds = 120;
/** The number of clusters triggered for free slots at a time: more are triggered when those have progressed. */
const maxTriggered = 200;
const fewTriggered = 20;

const isToRemove = (record: ClusterRecord, upgrade: PlannedUpgrade): boolean =>
  record.state === "Succeeded" || isEndedByHub(record) || (upgrade.isOver && !upgrade.keepsObjects);

/** Returns clusters whose ended run is to be removed: those that ended just now, and those whose removal was lost. */
function toRemove(
  upgrade: PlannedUpgrade,
  before: Records,
  after: Records,
  { works = [], now }: Snapshot,
): readonly string[] {
  const wasFinal = (cluster: string) =>
    isFinalState(before.get(cluster)?.state) && isFinalState(upgrade.states[cluster]);
  const left = works.filter(({ metadata }) => !("deletionTimestamp" in metadata));
  const present = new Set(left.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  return [...after].flatMap(([cluster, record]) => {
    if (!isFinalState(record.state) || !isToRemove(record, upgrade)) return [];
    const { name: cgu, revision } = upgrade;
    if (!wasFinal(cluster)) return [cluster];
    const isOld = now.getTime() - Date.parse(record.since) >= forgottenSeconds * 1000;
    const isForgotten =
      isOld && present.has(`${cluster}/${workName({ cgu, revision, attempt: record.attempt })}`);
    return isForgotten ? [cluster] : [];
  });
}

/**
 * Returns stale claims, and runs that are gone. Claims are checked only when the ManifestWorks were listed: when
 * messages are late, a claim looks stale although its work exists.
 */
function toStart(
  { states }: PlannedUpgrade,
  before: Records,
  after: Records,
  { works, now }: Snapshot,
): readonly string[] {
  return [...after].flatMap(([cluster, record]) => {
    if (record.state !== "PreparingToStart") return [];
    const isNew =
      record.reason === "Removed" &&
      (before.get(cluster)?.state !== record.state || states[cluster] !== record.state);
    return isNew || (works && isStaleClaim(record, now)) ? [cluster] : [];
  });
}

/**
 * Returns clusters whose Job is to be suspended so that another cluster can use the slot, and returned clusters that
 * want one. When all ManifestWorks are listed, lost hints are repeated.
 */
function toHoldOrReturn(before: Records, after: Records, { works }: Snapshot): readonly string[] {
  return [...after].flatMap(([cluster, record]) => {
    const was = before.get(cluster);
    const isToHold = releasesSlot(record) && (works || !was || !releasesSlot(was));
    const isBack = isReturned(record) && (!was || !isReturned(was));
    return isToHold || isBack ? [cluster] : [];
  });
}

/** True when pre-caching started so long ago that the hints of planning have arrived. */
function isUnderWay({ cgu, now }: Snapshot): boolean {
  const begun = storedCondition(storedConditions(cgu?.status), conditionTypes.precachingSucceeded);
  const since = Date.parse(String(begun?.lastTransitionTime));
  return now.getTime() - since >= staleClaimSeconds * 1000;
}

/**
 * Returns the next waiting clusters when slots have become free, and at every tick. Admission is decided when they
 * claim a slot.
 */
function toTrigger(
  upgrade: PlannedUpgrade,
  before: Records,
  after: Records,
  snapshot: Snapshot,
): readonly string[] {
  const { clusters, states, maxConcurrency } = upgrade;
  const stateOf = (records: Records, cluster: string) => records.get(cluster)?.state;
  const freed = clusters.filter(
    (cluster) =>
      !isRunningState(stateOf(after, cluster)) &&
      (isRunningState(stateOf(before, cluster)) ||
        isRunningState(states[cluster]) ||
        (states[cluster] !== undefined && !isFinalState(stateOf(after, cluster))) ||
        before.get(cluster)?.attempt !== after.get(cluster)?.attempt),
  ).length;
  const isSettled = isUnderWay(snapshot);
  if (freed === 0 && !(snapshot.works && isSettled)) return [];
  const waiting = clusters.filter((cluster) => {
    const record = after.get(cluster);
    return record === undefined || (record.state === "NotStarted" && record.reason !== "ClusterNotReached");
  });
  const all = maxConcurrency >= 1 ? Math.min(maxConcurrency, clusters.length) : clusters.length;
  const free = all - [...after.values()].filter(({ state }) => isRunningState(state)).length;
  // At first, most waiting clusters still have hints from planning in the queue.
  const most = isSettled ? maxTriggered : Math.min(maxTriggered, freed + fewTriggered);
  return waiting.slice(0, Math.min(most, Math.max(free, 0)));
}

/**
 * Returns the hints about single clusters that follow from changes since the records, and since the status, which is
 * written after them. Compared with only the records, the hints of a reconcile whose second write failed with a
 * conflict would never be sent.
 */
export function requeuesFor(
  upgrade: PlannedUpgrade,
  before: Records,
  after: Records,
  snapshot: Snapshot,
): readonly Send[] {
  const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
  const cgu: ObjectReference = { apiVersion, kind, ...upgrade.name };
  const clusters = [
    ...new Set([
      ...toRemove(upgrade, before, after, snapshot),
      ...(upgrade.isOver ? [] : toStart(upgrade, before, after, snapshot)),
      ...(upgrade.isOver ? [] : toHoldOrReturn(before, after, snapshot)),
      ...(upgrade.isOver ? [] : toTrigger(upgrade, before, after, snapshot)),
    ]),
  ];
  if (clusters.length === 0) return [];
  const events = clusters.map((cluster) => clusterEvent(cgu, cluster, { source: snapshot.hubId }));
  return [{ queue: clusterQueue, events, reason: `${clusters.length} clusters have a next step` }];
}
