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
  givesPlaceAway,
  isEndedByHub,
  isReturned,
  isStaleClaim,
  staleClaimSeconds,
} from "#shared/domain/precache/progress/cluster-record.ts";
import type { PlannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import type { Records } from "#shared/domain/precache/progress/precaching-report.ts";
import { workName } from "#shared/domain/precache/work/work-identity.ts";
import type { Snapshot } from "./observe.ts";

/** A run that has ended and is there after so long: its removal was forgotten, and is not merely under way. */
const forgottenSeconds = 120;
/** Clusters that are woken for free places at a time: more are woken when those have gone on. */
const mostWoken = 200;
const fewWoken = 20;

const isToRemove = (record: ClusterRecord, upgrade: PlannedUpgrade): boolean =>
  record.state === "Succeeded" || isEndedByHub(record) || (upgrade.isOver && !upgrade.keepsObjects);

/** Clusters whose run has ended and is to be taken off them: those that ended just now, and those found there. */
function toRemove(
  upgrade: PlannedUpgrade,
  before: Records,
  after: Records,
  { works = [], now }: Snapshot,
): readonly string[] {
  const wasFinal = (cluster: string) =>
    isFinalState(before.get(cluster)?.state) && isFinalState(upgrade.states[cluster]);
  const left = works.filter(({ metadata }) => !("deletionTimestamp" in metadata));
  const there = new Set(left.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  return [...after].flatMap(([cluster, record]) => {
    if (!isFinalState(record.state) || !isToRemove(record, upgrade)) return [];
    const { name: cgu, revision } = upgrade;
    if (!wasFinal(cluster)) return [cluster];
    const isOld = now.getTime() - Date.parse(record.since) >= forgottenSeconds * 1000;
    const isForgotten =
      isOld && there.has(`${cluster}/${workName({ cgu, revision, attempt: record.attempt })}`);
    return isForgotten ? [cluster] : [];
  });
}

/**
 * Claims that nobody acted upon, and runs that are gone. That nobody did is known only where the ManifestWorks were
 * listed: where news are late, a claim looks old although its work is long there.
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
 * Clusters whose Job is to be suspended so that another may have their place, and those that are back and want one.
 * What was lost is found where all ManifestWorks are listed.
 */
function toHoldOrReturn(before: Records, after: Records, { works }: Snapshot): readonly string[] {
  return [...after].flatMap(([cluster, record]) => {
    const was = before.get(cluster);
    const isToHold = givesPlaceAway(record) && (works || !was || !givesPlaceAway(was));
    const isBack = isReturned(record) && (!was || !isReturned(was));
    return isToHold || isBack ? [cluster] : [];
  });
}

/** True when it is some time ago that it began: planning's own hints have arrived by then. */
function isUnderWay({ cgu, now }: Snapshot): boolean {
  const begun = storedCondition(storedConditions(cgu?.status), conditionTypes.precachingSucceeded);
  const since = Date.parse(String(begun?.lastTransitionTime));
  return now.getTime() - since >= staleClaimSeconds * 1000;
}

/**
 * The next of those that wait, when places have become free, and at every tick. Whether they get one is decided
 * where they claim it.
 */
function toWake(
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
  // In the beginning most of those that wait have hints of planning's on their way.
  const most = isSettled ? mostWoken : Math.min(mostWoken, freed + fewWoken);
  return waiting.slice(0, Math.min(most, Math.max(free, 0)));
}

/**
 * The hints about single clusters that follow from what has changed: since the records, and since the status, which is
 * written after them. They are sent once both are: were only the records asked, those of a look whose second write
 * lost a race would never be sent.
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
      ...(upgrade.isOver ? [] : toWake(upgrade, before, after, snapshot)),
    ]),
  ];
  if (clusters.length === 0) return [];
  const events = clusters.map((cluster) => clusterEvent(cgu, cluster, { source: snapshot.hubId }));
  return [{ queue: clusterQueue, events, reason: `${clusters.length} clusters have something to do` }];
}
