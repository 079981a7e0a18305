import {
  type ClusterRecord,
  isPulling,
  isUnreached,
  releasesSlot,
} from "../../precache-model/cluster-record.ts";
import type { Run } from "../../precache-model/work-identity.ts";
import type { WorkFeedback } from "../feedback.ts";
import { recordAfter } from "../record-after.ts";

/** What a cluster has pulled, and has to pull in all if that is known. */
export type Pulled = Readonly<{ bytesDone: number; bytesTotal: number | undefined }>;

type OneRun = Omit<Run, "attempt">;

/** What the work agent reports of a Job in each of these states. */
const reports = {
  pulling: { active: 1 },
  suspended: { suspended: "True" },
  succeeded: { complete: "True" },
  timedOut: { failedStatus: "True", failedReason: "DeadlineExceeded" },
} as const satisfies Record<string, WorkFeedback["values"]>;

/** Returns the record of a cluster after the report that its Job is in this state. */
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

/** A cluster whose agent is unreachable gives its slot to another, as soon as its Job is suspended. */
export const withoutSlotIfUnreached = (record: ClusterRecord): ClusterRecord =>
  releasesSlot(record) ? { ...record, state: "NotStarted", suspend: true } : record;

/** True for a run that pulls now; one that the cluster refuses does not, and one that is unreachable may not. */
export const isUnderWay = (record: ClusterRecord): boolean =>
  isPulling(record.state, record) && record.reason !== "NotApplied" && !isUnreached(record);
