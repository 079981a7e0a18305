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
  type WorkObservation,
} from "./cluster-record.ts";
import type { PlannedUpgrade } from "./planned-upgrade.ts";
import type { Records } from "./precaching-report.ts";
import { isRetried } from "./retry.ts";

/** The recorded state of an upgrade's clusters, and what has changed. */
export type Changes = Readonly<{
  upgrade: PlannedUpgrade;
  records: Records;
  /** Feedback from messages; ignored for a cluster whose ManifestWork was listed or read. */
  heard: readonly Readonly<{ cluster: string; observation: WorkObservation }>[];
  /** All ManifestWorks of the upgrade, if they were listed. */
  works: readonly KubernetesObject[] | undefined;
  /** The ManifestWorks of single clusters that were read; undefined for one that does not exist. */
  read: ReadonlyMap<string, KubernetesObject | undefined>;
  retry: ReadonlySet<string> | undefined;
  now: Date;
}>;

/** The current records, and the clusters whose ManifestWorks have to be read before more is recorded. */
export type Followed = Readonly<{ records: Records; unread: readonly string[] }>;

type States = Readonly<Record<string, string>>;

/** Bytes of an earlier run count: complete images stay on the cluster. */
function bytesOf({ bytesDone, bytesTotal }: ClusterRecord): Pick<ClusterRecord, "bytesDone" | "bytesTotal"> {
  return {
    ...(bytesDone === undefined ? {} : { bytesDone }),
    ...(bytesTotal === undefined ? {} : { bytesTotal }),
  };
}

/** A claim is made only in the status; the record follows it, also when the slot was given back. */
function asClaimed(
  record: ClusterRecord | undefined,
  state: string | undefined,
  now: Date,
): ClusterRecord | undefined {
  if (state === "PreparingToStart" && (!record || record.state === "NotStarted")) {
    const since = timestamp(now);
    const { attempt, seen } = record ?? newRecord(1, now);
    const reason = { reason: "Claimed", message: "It has a slot and is being started." };
    const known = seen ? { seen } : {};
    return { state, ...reason, attempt, since, started: since, ...known, ...(record && bytesOf(record)) };
  }
  if (state === undefined && record?.state === "PreparingToStart")
    return { ...newRecord(record.attempt, now), ...bytesOf(record) };
  return record;
}

/** An end that is in the status although the write of its record failed: its ManifestWork may be removed already. */
function asEnded(record: ClusterRecord, inStatus: string | undefined, now: Date): ClusterRecord {
  const { state, attempt } = record;
  // During a retry the status still has the state of the attempt before.
  const isTriedAgain = state === "NotStarted" && attempt > 1;
  if (isFinalState(state) || !isFinalState(inStatus) || isTriedAgain) return record;
  const message = "It has ended, and was removed before details were recorded.";
  return { ...record, state: inStatus, reason: "Removed", message, since: timestamp(now) };
}

/** A run whose ManifestWork was removed from the hub starts again, or waits for its cluster as before. */
function asGone(record: ClusterRecord, now: Date): ClusterRecord {
  const { state, attempt, seen } = record;
  const wasThere = seen !== undefined && !isFinalState(state) && state !== "PreparingToStart";
  if (!wasThere) return record;
  const since = timestamp(now);
  if (!isRunningState(state)) return { ...newRecord(attempt, now), ...bytesOf(record) };
  return {
    state: "PreparingToStart",
    reason: "Removed",
    message: "It was removed; it starts again.",
    attempt,
    since,
    started: since,
    seen,
    ...bytesOf(record),
  };
}

/** After this time a claim without a ManifestWork is reported: the hub cannot create it. */
const uncreatedSeconds = 60;

function asUncreated(record: ClusterRecord, now: Date): ClusterRecord {
  const { state, reason, since } = record;
  const isOld = now.getTime() - Date.parse(since) >= uncreatedSeconds * 1000;
  if (state !== "PreparingToStart" || reason !== "Claimed" || !isOld) return record;
  const message =
    "It has a slot, but its ManifestWork could not be created: the cluster's namespace may be missing.";
  return { ...record, reason: "NotCreated", message };
}

/** Returns the ManifestWorks of a cluster on the hub; undefined when they were neither listed nor read. */
function worksOnHub({ works, read }: Changes): (cluster: string) => readonly KubernetesObject[] | undefined {
  const listed = works && Map.groupBy(works, ({ metadata }) => metadata.namespace ?? "");
  return (cluster) => {
    if (listed) return listed.get(cluster) ?? [];
    const work = read.get(cluster);
    return work ? [work] : read.has(cluster) ? [] : undefined;
  };
}

/** Returns the record after the ManifestWorks on the hub. */
function afterWorks(
  before: ClusterRecord | undefined,
  works: readonly KubernetesObject[],
  inStatus: string | undefined,
  { upgrade, now }: Changes,
): ClusterRecord | undefined {
  const { name: cgu, revision } = upgrade;
  const observations = works.flatMap((work): WorkObservation[] => {
    const feedback = feedbackOf(work);
    const { resourceVersion } = work.metadata;
    const isThis = feedback?.run.revision === revision && resourceVersion !== undefined;
    return isThis ? [{ feedback, resourceVersion, isRead: true }] : [];
  });
  // A lost report is rebuilt from running and ended runs.
  const attempts = observations.map(({ feedback }) => feedback.run.attempt);
  const isKnown = before !== undefined || attempts.length > 0 || isFinalState(inStatus);
  if (!isKnown) return undefined;
  let record = before ?? newRecord(Math.max(1, ...attempts), now);
  for (const observation of observations) record = recordAfter(record, observation, now);
  const name = workName({ cgu, revision, attempt: record.attempt });
  const isThere = works.some(({ metadata }) => metadata.name === name);
  return isThere ? record : asUncreated(asGone(asEnded(record, inStatus, now), now), now);
}

/** Returns the record after messages, as far as they are trusted; `isUnread` when more requires a read. */
function afterMessages(
  before: ClusterRecord,
  messages: readonly WorkObservation[],
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
 * Returns the records after all changes: claims, ManifestWorks on the hub, messages, retries, and timeouts. When
 * messages or timeouts require a read first, the record stays unchanged, and its cluster is `unread`.
 */
export function follow(changes: Changes): Followed {
  const { upgrade, records, heard, retry, now } = changes;
  const { clusters, states, revision, timeoutMinutes } = upgrade;
  const worksOf = worksOnHub(changes);
  const ofThis = heard.filter(({ observation }) => observation.feedback.run.revision === revision);
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
      const record = afterWorks(claimed, works, states[cluster], changes);
      if (record) after.set(cluster, recordInTime(retried(cluster, record), timeoutMinutes, now));
    } else if (claimed) {
      const observations = (messages.get(cluster) ?? []).map(({ observation }) => observation);
      const { record: trusted, isUnread } = afterMessages(claimed, observations, now);
      const ended = asEnded(trusted, states[cluster], now);
      const record = retried(cluster, ended);
      const isDue = recordInTime(record, timeoutMinutes, now) !== record;
      if (isUnread || isDue || ended !== trusted) unread.push(cluster);
      after.set(cluster, record);
    }
  }
  return { records: after, unread };
}

/** Returns `status.precaching.status` for these records; a cluster that has not started has no entry there. */
export function statesFor(records: Records): States {
  return Object.fromEntries(
    [...records].flatMap(([cluster, { state }]): [string, ClusterState][] =>
      state === "NotStarted" ? [] : [[cluster, state]],
    ),
  );
}
