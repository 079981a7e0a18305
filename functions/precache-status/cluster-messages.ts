import { type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import type { Send } from "#shared/domain/plan/plan.ts";
import { isChecking } from "#shared/domain/precache-model/check-record.ts";
import { clusterEvent, clusterQueue, feedbackQueue } from "#shared/domain/precache-model/cluster-event.ts";
import type { ClusterRecord, Records } from "#shared/domain/precache-model/cluster-record.ts";
import type { PlannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { workName } from "#shared/domain/precache-model/work-identity.ts";
import { checkDeadline, checkRunFor } from "#shared/domain/precache-progress/cluster-check.ts";
import { nextDeadline, nextRefresh, unansweredSeconds } from "#shared/domain/precache-progress/deadlines.ts";
import { type DesiredWork, desiredWork } from "#shared/domain/precache-progress/follow.ts";
import { isSuspended } from "#shared/domain/precache-start/work/manifest-work.ts";
import type { Snapshot } from "./observe.ts";

function isAsDesired(work: KubernetesObject | undefined, desired: DesiredWork): boolean {
  if (desired === "any") return true;
  if (work === undefined) return desired !== "running";
  // This ManifestWork is being deleted and cannot be replaced yet. When it is gone, a message follows.
  if ("deletionTimestamp" in work.metadata) return true;
  return desired === (isSuspended(work) ? "suspended" : "running");
}

function isCheckToChange(
  upgrade: PlannedUpgrade,
  record: ClusterRecord,
  works: readonly KubernetesObject[] | undefined,
): boolean {
  if (!record.check || !works) return isChecking(record);
  const name = workName(checkRunFor(upgrade, record.check));
  const work = works.find(({ metadata }) => metadata.name === name);
  return isChecking(record) ? work === undefined : !isAsDesired(work, "absent");
}

function isRunToChange(
  upgrade: PlannedUpgrade,
  record: ClusterRecord,
  works: readonly KubernetesObject[] | undefined,
): boolean {
  // The run's ManifestWork was removed before this check began.
  if (record.check && record.state === "Succeeded") return false;
  const desired = desiredWork(record, upgrade);
  if (!works) return desired !== "any";
  const name = workName({ cgu: upgrade.name, revision: upgrade.revision, attempt: record.attempt });
  const work = works.find(({ metadata }) => metadata.name === name);
  return !isAsDesired(work, desired);
}

/** Returns a message for each cluster whose ManifestWork has to change. A message without effect is repeated later. */
export function clusterMessages(
  upgrade: PlannedUpgrade,
  { before, after }: Readonly<{ before: Records; after: Records }>,
  worksOf: (cluster: string) => readonly KubernetesObject[] | undefined,
  { now, hubId }: Readonly<{ now: Date; hubId: string }>,
): readonly Send[] {
  const isOld = (since: string) => now.getTime() - Date.parse(since) >= unansweredSeconds * 1000;
  const isDue = (cluster: string, record: ClusterRecord): boolean => {
    const works = worksOf(cluster);
    const isChanged = before.get(cluster) !== record;
    const { checked, started = "" } = record.check ?? {};
    const isCheckDue = isChanged || isOld(checked ?? started);
    const isRunDue = isChanged || (works !== undefined && isOld(record.since));
    return (
      (isCheckDue && isCheckToChange(upgrade, record, works)) ||
      (isRunDue && isRunToChange(upgrade, record, works))
    );
  };
  const events = [...after].flatMap(([cluster, record]) =>
    isDue(cluster, record) ? [clusterEvent(upgrade.name, cluster, { source: hubId })] : [],
  );
  const reason =
    events.length === 1 ? "1 cluster has something to do" : `${events.length} clusters have something to do`;
  return events.length > 0 ? [{ queue: clusterQueue, events, reason }] : [];
}

/** Slightly less than the maximum delay of a message, which is 15 minutes. */
const maxDelayMs = 890_000;
const clockSkewMs = 1_000;

/** Returns the time of the next deadline or the next read of running clusters; undefined if there is neither. */
export function nextReconcile(
  records: Records,
  { timeoutMinutes }: PlannedUpgrade,
  now: Date,
  isChanging: boolean,
): Date | undefined {
  let next = nextRefresh(records.values(), now, isChanging);
  for (const record of records.values()) {
    const due = isChecking(record) ? checkDeadline(record.check) : nextDeadline(record, timeoutMinutes);
    if (due && (!next || due < next)) next = due;
  }
  return next;
}

/**
 * Returns the time of the next delayed message, and whether to send it. `planned`, the last message's time, stays
 * unless it is past or too late: its message is in the queue, and each reconcile would otherwise add another.
 */
export function scheduled(
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

/** Returns a message that starts a reconcile at this time. */
export function laterMessage(cgu: KubernetesObject, at: Date, { now, hubId }: Snapshot): Send {
  const delaySeconds = Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1000));
  const events = [hubEvent("add", referenceTo(cgu), { source: hubId })];
  return { queue: feedbackQueue, events, delaySeconds, reason: "its clusters are read again" };
}
