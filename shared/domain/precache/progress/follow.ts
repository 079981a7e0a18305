import type { KubernetesObject } from "../../kubernetes/object.ts";
import { timestamp } from "../../kubernetes/timestamp.ts";
import { type ClusterState, isFinalState, isRunningState } from "../model/cluster-state.ts";
import { feedbackOf } from "../work/feedback.ts";
import { workName } from "../work/work-identity.ts";
import {
  type ClusterRecord,
  newRecord,
  recordAfter,
  recordAfterMessage,
  recordInTime,
  type Sighting,
} from "./cluster-record.ts";
import type { PlannedUpgrade } from "./planned-upgrade.ts";
import type { Records } from "./precaching-report.ts";
import { isRetried } from "./retry.ts";

/** What is known and what is new about the clusters of an upgrade. */
export type News = Readonly<{
  upgrade: PlannedUpgrade;
  records: Records;
  /** What messages say; nothing of a cluster whose ManifestWork was listed or read. */
  heard: readonly Readonly<{ cluster: string; sighting: Sighting }>[];
  /** All ManifestWorks of the upgrade where they were listed. */
  works: readonly KubernetesObject[] | undefined;
  /** The ManifestWorks of single clusters that were read, undefined where there is none. */
  read: ReadonlyMap<string, KubernetesObject | undefined>;
  retry: ReadonlySet<string> | undefined;
  now: Date;
}>;

/** The records as they are now, and the clusters whose ManifestWorks have to be read before more is recorded. */
export type Followed = Readonly<{ records: Records; unread: readonly string[] }>;

type States = Readonly<Record<string, string>>;

/** What an earlier run told of its bytes: images that are complete stay on the cluster. */
function bytesOf({ bytesDone, bytesTotal }: ClusterRecord): Pick<ClusterRecord, "bytesDone" | "bytesTotal"> {
  return {
    ...(bytesDone === undefined ? {} : { bytesDone }),
    ...(bytesTotal === undefined ? {} : { bytesTotal }),
  };
}

/** A claim is made in the status alone; the record follows it, also where the place was given back. */
function asClaimed(
  record: ClusterRecord | undefined,
  state: string | undefined,
  now: Date,
): ClusterRecord | undefined {
  if (state === "PreparingToStart" && (!record || record.state === "NotStarted")) {
    const since = timestamp(now);
    const { attempt, seen } = record ?? newRecord(1, now);
    const reason = { reason: "Claimed", message: "It has a place and is being started." };
    const known = seen ? { seen } : {};
    return { state, ...reason, attempt, since, started: since, ...known, ...(record && bytesOf(record)) };
  }
  if (state === undefined && record?.state === "PreparingToStart")
    return { ...newRecord(record.attempt, now), ...bytesOf(record) };
  return record;
}

/** An end that is in the status while the write of its record failed: its work may be removed already. */
function asEnded(record: ClusterRecord, inStatus: string | undefined, now: Date): ClusterRecord {
  const { state, attempt } = record;
  // The status of a run that is tried again is that of the attempt before.
  const isTriedAgain = state === "NotStarted" && attempt > 1;
  if (isFinalState(state) || !isFinalState(inStatus) || isTriedAgain) return record;
  const message = "It has ended, and was removed before more was recorded.";
  return { ...record, state: inStatus, reason: "Removed", message, since: timestamp(now) };
}

/** A run that is nowhere on the hub although it was there: it starts again, or waits for its cluster as before. */
function asGone(record: ClusterRecord, now: Date): ClusterRecord {
  const { state, attempt, seen } = record;
  const wasThere = seen !== undefined && !isFinalState(state) && state !== "PreparingToStart";
  if (!wasThere) return record;
  const since = timestamp(now);
  if (!isRunningState(state)) return { ...newRecord(attempt, now), ...bytesOf(record) };
  return {
    state: "PreparingToStart",
    reason: "Removed",
    message: "Somebody removed it; it starts again.",
    attempt,
    since,
    started: since,
    seen,
    ...bytesOf(record),
  };
}

/** A claim that came to no work for so long: the hub has no place for it. */
const uncreatedSeconds = 60;

function asUncreated(record: ClusterRecord, now: Date): ClusterRecord {
  const { state, reason, since } = record;
  const isOld = now.getTime() - Date.parse(since) >= uncreatedSeconds * 1000;
  if (state !== "PreparingToStart" || reason !== "Claimed" || !isOld) return record;
  const message =
    "It has a place, and no ManifestWork could be created for it: the namespace of its name may be missing.";
  return { ...record, reason: "NotCreated", message };
}

/** The ManifestWorks of a cluster on the hub; undefined where they were neither listed nor read. */
function worksOnHub({ works, read }: News): (cluster: string) => readonly KubernetesObject[] | undefined {
  const listed = works && Map.groupBy(works, ({ metadata }) => metadata.namespace ?? "");
  return (cluster) => {
    if (listed) return listed.get(cluster) ?? [];
    const work = read.get(cluster);
    return work ? [work] : read.has(cluster) ? [] : undefined;
  };
}

/** The record after what the hub holds for its cluster. */
function afterWorks(
  before: ClusterRecord | undefined,
  works: readonly KubernetesObject[],
  inStatus: string | undefined,
  { upgrade, now }: News,
): ClusterRecord | undefined {
  const { name: cgu, revision } = upgrade;
  const sightings = works.flatMap((work): Sighting[] => {
    const feedback = feedbackOf(work);
    const { resourceVersion } = work.metadata;
    const isThis = feedback?.run.revision === revision && resourceVersion !== undefined;
    return isThis ? [{ feedback, resourceVersion, isRead: true }] : [];
  });
  // A report that was lost is made anew from what runs, and from what has ended.
  const attempts = sightings.map(({ feedback }) => feedback.run.attempt);
  const isKnown = before !== undefined || attempts.length > 0 || isFinalState(inStatus);
  if (!isKnown) return undefined;
  let record = before ?? newRecord(Math.max(1, ...attempts), now);
  for (const sighting of sightings) record = recordAfter(record, sighting, now);
  const name = workName({ cgu, revision, attempt: record.attempt });
  const isThere = works.some(({ metadata }) => metadata.name === name);
  return isThere ? record : asUncreated(asGone(asEnded(record, inStatus, now), now), now);
}

/** The record after messages, as far as they are believed; `isUnread` where more follows from a read. */
function afterMessages(
  before: ClusterRecord,
  messages: readonly Sighting[],
  now: Date,
): Readonly<{ record: ClusterRecord; isUnread: boolean }> {
  let record = before;
  let isUnread = false;
  for (const message of messages) {
    const after = recordAfterMessage(record, message, now);
    if (after) record = after;
    else isUnread = true;
  }
  return { record, isUnread };
}

/**
 * Returns the records after all that is new: claims, what the hub holds, messages, retries, and the time that has
 * passed. What messages and time may not change without a read stays as it was, and its cluster is `unread`.
 */
export function follow(news: News): Followed {
  const { upgrade, records, heard, retry, now } = news;
  const { clusters, states, revision, timeoutMinutes } = upgrade;
  const worksOf = worksOnHub(news);
  const ofThis = heard.filter(({ sighting }) => sighting.feedback.run.revision === revision);
  const messages = Map.groupBy(ofThis, ({ cluster }) => cluster);
  const retried = (cluster: string, record: ClusterRecord): ClusterRecord =>
    retry && isRetried(cluster, record.state, retry)
      ? { ...newRecord(record.attempt + 1, now), ...bytesOf(record) }
      : record;
  const after = new Map<string, ClusterRecord>();
  const unread: string[] = [];
  for (const cluster of clusters) {
    const claimed = asClaimed(records.get(cluster), states[cluster], now);
    const works = worksOf(cluster);
    if (works) {
      const record = afterWorks(claimed, works, states[cluster], news);
      if (record) after.set(cluster, recordInTime(retried(cluster, record), timeoutMinutes, now));
    } else if (claimed) {
      const sightings = (messages.get(cluster) ?? []).map(({ sighting }) => sighting);
      const { record: believed, isUnread } = afterMessages(claimed, sightings, now);
      const ended = asEnded(believed, states[cluster], now);
      const record = retried(cluster, ended);
      const isDue = recordInTime(record, timeoutMinutes, now) !== record;
      if (isUnread || isDue || ended !== believed) unread.push(cluster);
      after.set(cluster, record);
    }
  }
  return { records: after, unread };
}

/** `status.precaching.status` for these records; a cluster that has not started has no entry there. */
export function statesFor(records: Records): States {
  return Object.fromEntries(
    [...records].flatMap(([cluster, { state }]): [string, ClusterState][] =>
      state === "NotStarted" ? [] : [[cluster, state]],
    ),
  );
}
