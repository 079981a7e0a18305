import type { ClusterRecord } from "./cluster-record.ts";

/** Returns the record of a cluster that waits for its first attempt, with `fields` changed. */
export const aWaitingRecord = (fields: Partial<ClusterRecord>): ClusterRecord => ({
  state: "NotStarted",
  reason: "Waiting",
  message: "",
  attempt: 1,
  since: "2026-03-01T02:00:00Z",
  ...fields,
});
