import { ownValue } from "../kubernetes/json/values.ts";
import { type KubernetesObject, timestamp } from "../kubernetes/object.ts";
import { missingImages } from "../precache-model/check-record.ts";
import {
  type ClusterRecord,
  claimed,
  isEndedByHub,
  isReturned,
  isUnreached,
  keptOf,
  newRecord,
  type Records,
} from "../precache-model/cluster-record.ts";
import { isFinalState, isRunningState } from "../precache-model/cluster-state.ts";
import type { PlannedUpgrade } from "../precache-model/planned-upgrade.ts";
import { workName } from "../precache-model/work-identity.ts";
import { afterCheck } from "./cluster-check.ts";
import { recordInTime } from "./deadlines.ts";
import { feedbackOf } from "./feedback.ts";
import { recordAfter } from "./record-after.ts";

type Changes = Readonly<{
  upgrade: PlannedUpgrade;
  records: Records;
  /** Undefined if the cluster's ManifestWorks were not read. */
  worksOf(cluster: string): readonly KubernetesObject[] | undefined;
  retry: ReadonlySet<string> | undefined;
  now: Date;
}>;

/** Returns the record of a cluster that waits to be pre-cached again because images are missing. */
export function asLost(record: ClusterRecord, now: Date): ClusterRecord {
  const { attempt, bytesDone, check } = record;
  const { imagesPresent = 0, imagesTotal = 0 } = check ?? {};
  const missing = missingImages(record);
  // The bytes of missing images are unknown, so they are assumed to be in proportion to the images.
  const left =
    bytesDone === undefined ? {} : { bytesDone: Math.floor((bytesDone * imagesPresent) / imagesTotal) };
  return {
    ...newRecord(attempt + 1, now),
    message: `${missing} of ${imagesTotal} images were missing; it is pre-cached again.`,
    ...keptOf(record),
    ...left,
  };
}

/** Returns the record with or without a slot, as in the status, which is written before the records. */
function asInStatus(
  record: ClusterRecord | undefined,
  inStatus: string | undefined,
  now: Date,
): ClusterRecord | undefined {
  if (inStatus === "PreparingToStart" && (!record || record.state === "NotStarted"))
    return claimed(record, now);
  if (inStatus === undefined && record?.state === "PreparingToStart")
    return { ...newRecord(record.attempt, now), ...keptOf(record) };
  return record;
}

function asEnded(record: ClusterRecord, inStatus: string | undefined, now: Date): ClusterRecord {
  const { state, attempt } = record;
  // During a retry, the status still contains the state of the previous attempt.
  const isTriedAgain = state === "NotStarted" && attempt > 1;
  if (isFinalState(state) || !isFinalState(inStatus) || isTriedAgain) return record;
  // The ManifestWork was deleted before the end of the run was recorded.
  const message = "It has ended, and was removed before details were recorded.";
  return { ...record, state: inStatus, reason: "Removed", message, since: timestamp(now) };
}

function asGone(record: ClusterRecord, now: Date): ClusterRecord {
  const { state, attempt } = record;
  if (isUnreached(record) || isReturned(record)) return { ...newRecord(attempt, now), ...keptOf(record) };
  if (!isRunningState(state) || state === "PreparingToStart") return record;
  return { ...claimed({ ...newRecord(attempt, now), ...keptOf(record) }, now), ...removed };
}

const removed = { reason: "Removed", message: "It was removed; it starts again." } as const;

/** If a slot has no ManifestWork after this time, the hub could not create the ManifestWork. */
const uncreatedSeconds = 60;

function asUncreated(record: ClusterRecord, now: Date): ClusterRecord {
  const { state, reason, since } = record;
  const isOld = now.getTime() - Date.parse(since) >= uncreatedSeconds * 1000;
  if (state !== "PreparingToStart" || reason !== "Claimed" || !isOld) return record;
  const message =
    "It has a slot, but its ManifestWork could not be created: the cluster's namespace may be missing.";
  return { ...record, reason: "NotCreated", message };
}

function afterWorks(
  before: ClusterRecord | undefined,
  works: readonly KubernetesObject[],
  inStatus: string | undefined,
  { upgrade, now }: Changes,
): ClusterRecord | undefined {
  const { name: cgu, revision } = upgrade;
  const reported = works.flatMap((work) => {
    const feedback = feedbackOf(work);
    return feedback?.run.revision === revision ? [feedback] : [];
  });
  // Without a record, the current attempt is the highest attempt among the cluster's ManifestWorks.
  const attempts = reported.map(({ run }) => run.attempt);
  const isKnown = before !== undefined || attempts.length > 0 || isFinalState(inStatus);
  if (!isKnown) return undefined;
  let record = before ?? newRecord(Math.max(1, ...attempts), now);
  for (const feedback of reported) record = recordAfter(record, feedback, now);
  const name = workName({ cgu, revision, attempt: record.attempt });
  const isThere = works.some(({ metadata }) => metadata.name === name);
  return isThere ? record : asUncreated(asGone(asEnded(record, inStatus, now), now), now);
}

/** Returns the records with the effects of reports, checks, retries and deadlines. */
export function follow(changes: Changes): Records {
  const { upgrade, records, worksOf, retry, now } = changes;
  const { clusters, states, timeoutMinutes } = upgrade;
  const retried = (cluster: string, record: ClusterRecord): ClusterRecord =>
    retry && isRetried(cluster, record.state, retry)
      ? { ...newRecord(record.attempt + 1, now), ...keptOf(record) }
      : record;
  const after = new Map<string, ClusterRecord>();
  for (const cluster of clusters) {
    const before = records.get(cluster);
    const works = worksOf(cluster);
    const record = works
      ? afterWorks(
          asInStatus(before, ownValue(states, cluster), now),
          works,
          ownValue(states, cluster),
          changes,
        )
      : before;
    if (record && works) {
      const checked = afterCheck(record, works, upgrade, now);
      after.set(cluster, recordInTime(retried(cluster, checked), timeoutMinutes, now));
    }
    if (record && !works) after.set(cluster, record);
  }
  return after;
}

/** The required ManifestWork: with a running Job, with a suspended Job, or none. `any` allows every state. */
export type DesiredWork = "running" | "suspended" | "absent" | "any";

/** Returns the state that a cluster's ManifestWork must have, according to the cluster's record. */
export function desiredWork(
  record: ClusterRecord,
  { isOver, keepsObjects }: Pick<PlannedUpgrade, "isOver" | "keepsObjects">,
): DesiredWork {
  const { state, suspend } = record;
  if (isFinalState(state)) {
    const isDone = state === "Succeeded" || isEndedByHub(record) || (isOver && !keepsObjects);
    return isDone ? "absent" : "any";
  }
  if (isOver || (state === "NotStarted" && suspend === undefined)) return "any";
  return suspend ? "suspended" : "running";
}

/** Reports whether a request retries a cluster whose run has ended: by its name or, without success, by `failed`. */
export function isRetried(
  cluster: string,
  state: string | undefined,
  requested: ReadonlySet<string>,
): boolean {
  if (!isFinalState(state)) return false;
  return requested.has(cluster) || (requested.has("failed") && state !== "Succeeded");
}
