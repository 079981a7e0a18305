import type { KubernetesObject } from "../../kubernetes/object.ts";
import { timestamp } from "../../kubernetes/timestamp.ts";
import { type ClusterState, isFinalState, isRunningState } from "../cluster-state.ts";
import { feedbackOf } from "../work/feedback.ts";
import { workName } from "../work/work-identity.ts";
import { type ClusterRecord, newRecord, recordAfter, recordInTime, type Sighting } from "./cluster-record.ts";
import type { PlannedUpgrade } from "./planned-upgrade.ts";
import type { Records } from "./report.ts";
import { isRetried } from "./retry.ts";

/** What is known and what is new about the clusters of an upgrade. */
export type News = Readonly<{
  upgrade: PlannedUpgrade;
  records: Records;
  heard: readonly Readonly<{ cluster: string; sighting: Sighting }>[];
  /** All ManifestWorks of the upgrade where they were listed. */
  works: readonly KubernetesObject[] | undefined;
  retry: ReadonlySet<string> | undefined;
  now: Date;
}>;

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

/** A run that is nowhere on the hub although it was there: it starts again, or waits for its cluster as before. */
function asListed(
  cluster: string,
  record: ClusterRecord,
  { upgrade, now }: News,
  listed: ReadonlySet<string>,
): ClusterRecord {
  const { state, attempt, seen } = record;
  const wasThere = seen !== undefined && !isFinalState(state) && state !== "PreparingToStart";
  if (!wasThere) return record;
  const name = workName({ cgu: upgrade.name, revision: upgrade.revision, attempt });
  if (listed.has(`${cluster}/${name}`)) return record;
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

function asUncreated(record: ClusterRecord, isListed: boolean, now: Date): ClusterRecord {
  const { state, reason, since } = record;
  const isOld = now.getTime() - Date.parse(since) >= uncreatedSeconds * 1000;
  if (state !== "PreparingToStart" || reason !== "Claimed" || isListed || !isOld) return record;
  const message =
    "It has a place, and no ManifestWork could be created for it: the namespace of its name may be missing.";
  return { ...record, reason: "NotCreated", message };
}

function sightingsOf({ heard, works = [], upgrade }: News): ReadonlyMap<string, readonly Sighting[]> {
  const listed = works.flatMap((work) => {
    const feedback = feedbackOf(work);
    const { namespace: cluster, resourceVersion } = work.metadata;
    return feedback && cluster && resourceVersion
      ? [{ cluster, sighting: { feedback, resourceVersion } }]
      : [];
  });
  const ofThis = [...heard, ...listed].filter(
    ({ sighting }) => sighting.feedback.run.revision === upgrade.revision,
  );
  const byCluster = Map.groupBy(ofThis, ({ cluster }) => cluster);
  return new Map([...byCluster].map(([cluster, some]) => [cluster, some.map(({ sighting }) => sighting)]));
}

/** The records after all that is new: claims, what was heard and listed, retries, and the time that has passed. */
export function follow(news: News): Records {
  const { upgrade, records, works, retry, now } = news;
  const sightings = sightingsOf(news);
  const listed = works && new Set(works.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const after = new Map<string, ClusterRecord>();
  for (const cluster of upgrade.clusters) {
    let record = asClaimed(records.get(cluster), upgrade.states[cluster], now);
    const own = sightings.get(cluster) ?? [];
    // A report that was lost is made anew from what runs.
    const attempts = own.map(({ feedback }) => feedback.run.attempt);
    if (!record && attempts.length > 0) record = newRecord(Math.max(...attempts), now);
    if (!record) continue;
    for (const sighting of own) record = recordAfter(record, sighting, now);
    if (listed) {
      record = asListed(cluster, record, news, listed);
      const name = workName({ cgu: upgrade.name, revision: upgrade.revision, attempt: record.attempt });
      record = asUncreated(record, listed.has(`${cluster}/${name}`), now);
    }
    if (retry && isRetried(cluster, record.state, retry))
      record = { ...newRecord(record.attempt + 1, now), ...bytesOf(record) };
    after.set(cluster, recordInTime(record, upgrade.timeoutMinutes, now));
  }
  return after;
}

/** `status.precaching.status` for these records; a cluster that has not started has no entry there. */
export function statesFor(records: Records): States {
  return Object.fromEntries(
    [...records].flatMap(([cluster, { state }]): [string, ClusterState][] =>
      state === "NotStarted" ? [] : [[cluster, state]],
    ),
  );
}
