import {
  type ClusterRecord,
  isPulling,
  isUnreached,
  releasesSlot,
} from "../../precache-model/cluster-record.ts";
import type { Run } from "../../precache-model/work-identity.ts";
import type { WorkFeedback } from "../feedback.ts";
import { recordAfter } from "../record-after.ts";

/** The bytes that a cluster has pulled, and the bytes of its whole download (undefined if unknown). */
export type Pulled = Readonly<{ bytesDone: number; bytesTotal: number | undefined }>;

type OneRun = Omit<Run, "attempt">;

const reports = {
  pulling: { active: 1 },
  suspended: { suspended: "True" },
  succeeded: { complete: "True" },
  timedOut: { failedStatus: "True", failedReason: "DeadlineExceeded" },
} as const satisfies Record<string, WorkFeedback["values"]>;

/** Returns a cluster's record as it is after the cluster reports this state. */
export function reported(
  record: ClusterRecord,
  state: keyof typeof reports,
  run: OneRun,
  { bytesDone, bytesTotal }: Pulled,
  now: Date,
): ClusterRecord {
  const bytes = bytesTotal === undefined ? {} : { bytesDone, bytesTotal };
  const values = { ...reports[state], ...bytes };
  return recordAfter(record, { run: { ...run, attempt: record.attempt }, applied: "True", values }, now);
}

/** Returns the record without the slot if the cluster is unreachable; any other record stays the same. */
export const withoutSlotIfUnreached = (record: ClusterRecord): ClusterRecord =>
  releasesSlot(record) ? { ...record, state: "NotStarted", suspend: true } : record;

/** Reports whether a cluster is assumed to pull now. It must be reachable and accept the run's objects. */
export const isUnderWay = (record: ClusterRecord): boolean =>
  isPulling(record.state, record) && record.reason !== "NotApplied" && !isUnreached(record);
