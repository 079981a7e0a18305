import {
  type ClusterRecord,
  isPulling,
  isUnreached,
  recordAfter,
  releasesSlot,
} from "../progress/cluster-record.ts";
import type { FeedbackValue } from "../work/feedback.ts";
import type { Run } from "../work/work-identity.ts";

/** What a cluster has pulled, and has to pull in all if that is known. */
export type Pulled = Readonly<{ bytesDone: number; bytesTotal: number | undefined }>;

type OneRun = Omit<Run, "attempt">;

function countsOf({ bytesDone, bytesTotal }: Pulled): Readonly<Record<string, FeedbackValue>> {
  return bytesTotal === undefined ? {} : { bytesDone, bytesTotal };
}

function reported(
  record: ClusterRecord,
  run: OneRun,
  values: Readonly<Record<string, FeedbackValue>>,
  now: Date,
): ClusterRecord {
  return recordAfter(record, { run: { ...run, attempt: record.attempt }, applied: "True", values }, now);
}

/** Returns the record of a cluster after the report that its Job runs. */
export const asPulling = (record: ClusterRecord, run: OneRun, pulled: Pulled, now: Date): ClusterRecord =>
  reported(record, run, { active: 1, ...countsOf(pulled) }, now);

/** Returns the record of a cluster after the report that its Job is suspended. */
export const asSuspended = (record: ClusterRecord, run: OneRun, pulled: Pulled, now: Date): ClusterRecord =>
  reported(record, run, { suspended: "True", ...countsOf(pulled) }, now);

/** Returns the record of a cluster after the report that it has every image. */
export const asSucceeded = (record: ClusterRecord, run: OneRun, pulled: Pulled, now: Date): ClusterRecord =>
  reported(record, run, { complete: "True", ...countsOf(pulled) }, now);

/** Returns the record of a cluster after the report that its Job has reached its deadline. */
export const asTimedOut = (record: ClusterRecord, run: OneRun, pulled: Pulled, now: Date): ClusterRecord =>
  reported(record, run, { failedStatus: "True", failedReason: "DeadlineExceeded", ...countsOf(pulled) }, now);

/** A cluster whose agent is unreachable gives its slot to another, as soon as its Job is suspended. */
export const withoutSlotIfUnreached = (record: ClusterRecord): ClusterRecord =>
  releasesSlot(record) ? { ...record, state: "NotStarted", suspend: true } : record;

/** True for a run that pulls now; one that the cluster refuses does not, and one that is unreachable may not. */
export const isUnderWay = (record: ClusterRecord): boolean =>
  isPulling(record.state, record) && record.reason !== "NotApplied" && !isUnreached(record);
