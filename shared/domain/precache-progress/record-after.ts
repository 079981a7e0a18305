import {
  choice,
  type Definition,
  flag,
  object,
  required,
  text,
  time,
  type ValueOf,
  whole,
} from "../issues/field.ts";
import { isSameJson, textOf } from "../kubernetes/json/values.ts";
import { timestamp } from "../kubernetes/object.ts";
import { isFinalState, isRunningState, stateNames } from "../precache-model/cluster-state.ts";
import { type RunReason, recordedReasonOf } from "../precache-model/run-reason.ts";
import { checkRecord } from "./cluster-check.ts";
import type { WorkFeedback } from "./feedback.ts";
import { countOf, runStateOf } from "./run-state.ts";

const bytes = (definition: Definition = {}) => whole({ minimum: 0, format: "int64", ...definition });

/** The recorded state of one cluster of a CGU, in more detail than in `status.precaching.status`. */
export const clusterRecord = object({
  state: required(
    choice(stateNames, {
      description:
        "As in status.precaching.status of the ClusterGroupUpgrade; NotStarted has no entry there.",
    }),
  ),
  // Another version of hubrelay may have recorded one that this does not know.
  reason: required({
    ...text({ description: "One word." }),
    read: (value) => recordedReasonOf(value) ?? "Unknown",
  }),
  message: required({ ...text(), read: (value) => textOf(value) ?? "" }),
  attempt: required(whole({ minimum: 1, description: "Increases with each retry." })),
  since: required(time({ description: "When it entered this state." })),
  // Absent before there is a ManifestWork, and while its Job is suspended.
  started: time({ description: "Start of its deadline." }),
  imagesDone: whole({ minimum: 0 }),
  imagesTotal: whole({ minimum: 0 }),
  bytesDone: bytes(),
  bytesTotal: bytes(),
  bytesFree: bytes({ description: "Bytes that images may still use before the kubelet removes images." }),
  pullStart: object(
    {
      at: required(time()),
      bytes: required(bytes({ description: "What was on the cluster then." })),
    },
    { description: "The first report of bytes since its Job has started or continued." },
  ),
  suspend: flag({ description: "Whether its Job is to be suspended; absent for a run that never was." }),
  check: checkRecord,
});

export type ClusterRecord = NonNullable<ValueOf<typeof clusterRecord>>;

/** Returns the record of a cluster before an attempt. */
export function newRecord(attempt: number, now: Date): ClusterRecord {
  return { state: "NotStarted", reason: "Waiting", message: "", attempt, since: timestamp(now) };
}

/** The fields of a record that the workload reports. */
const recordCounts = ["imagesDone", "imagesTotal", "bytesDone", "bytesTotal", "bytesFree"] as const;

type RecordCount = (typeof recordCounts)[number];

/** A total of zero is one that the workload does not know: every run has images. What is done of it says nothing. */
const totals: Readonly<Record<RecordCount, RecordCount | undefined>> = {
  imagesDone: "imagesTotal",
  imagesTotal: "imagesTotal",
  bytesDone: "bytesTotal",
  bytesTotal: "bytesTotal",
  bytesFree: undefined,
};

function countsOf({ values }: WorkFeedback): Partial<Record<RecordCount, number>> {
  return Object.fromEntries(
    recordCounts.flatMap((name) => {
      const count = countOf(values[name]);
      const total = totals[name];
      const isUnknown = total !== undefined && countOf(values[total]) === 0;
      return count === undefined || isUnknown ? [] : [[name, count]];
    }),
  );
}

/** True while the cluster's agent has not applied the run. */
export const isNotApplied = ({ reason }: ClusterRecord): boolean =>
  reason === "WaitsForAgent" || reason === "ClusterNotReached";

/** True for a cluster that released its slot because its agent is unreachable. */
export function isUnreached({ state, reason }: ClusterRecord): boolean {
  return state === "NotStarted" && reason === "ClusterNotReached";
}

/**
 * True for a cluster whose agent is unreachable and that keeps its slot until its Job is suspended: otherwise it
 * could return while another cluster uses the slot.
 */
export function releasesSlot({ state, reason }: ClusterRecord): boolean {
  return state === "Starting" && reason === "ClusterNotReached";
}

/** True while a cluster may pull images: its run is in progress, and neither suspended nor unreachable. */
export function isPulling(state: string | undefined, record: ClusterRecord | undefined): boolean {
  const isResumed = record?.reason === "Suspended" && record.suspend === false;
  const isPaused = record?.reason === "Suspended" || record?.reason === "ClusterNotReached";
  return isRunningState(state) && (isResumed || !isPaused);
}

/** True for a cluster that has returned, and whose suspended Job waits for a slot. */
export function isReturned({ state, reason }: ClusterRecord): boolean {
  return state === "NotStarted" && reason === "Returned";
}

/** True for a run that ended by the hub's deadline: its objects on the cluster must not start later. */
export function isEndedByHub({ state, reason }: ClusterRecord): boolean {
  return isFinalState(state) && (reason === "ClusterNotReached" || reason === "NoReport");
}

/** The deadline starts with the ManifestWork, restarts when that is applied, and pauses while suspended. */
function startOf(
  before: ClusterRecord,
  reason: RunReason,
  { created }: WorkFeedback,
  now: Date,
): Pick<ClusterRecord, "started"> {
  if (reason === "Suspended") return {};
  const isApplied = isNotApplied(before) && reason !== "WaitsForAgent";
  if (isApplied || before.reason === "Suspended") return { started: timestamp(now) };
  // A claim may have waited for its ManifestWork, and one that is resumed has a ManifestWork from before its claim.
  const isCreatedLater =
    before.state === "PreparingToStart" && Date.parse(created ?? "") > Date.parse(before.started ?? "");
  return { started: (isCreatedLater ? created : before.started) ?? created ?? timestamp(now) };
}

/** Speed is measured from the first report on: what was there before, and the time until then, say nothing about it. */
function pullStartOf(
  before: ClusterRecord,
  reason: RunReason,
  { bytesDone }: Partial<Record<RecordCount, number>>,
  now: Date,
): Pick<ClusterRecord, "pullStart"> {
  if (reason === "Suspended") return {};
  if (before.pullStart && before.reason !== "Suspended") return { pullStart: before.pullStart };
  return bytesDone === undefined ? {} : { pullStart: { at: timestamp(now), bytes: bytesDone } };
}

function changedBy(before: ClusterRecord, feedback: WorkFeedback, now: Date): ClusterRecord {
  const next = runStateOf(feedback);
  if (!next) return before;
  const { state, reason, message } = next;
  if (isNotApplied(before) && reason === "WaitsForAgent")
    return releasesSlot(before) && feedback.isHeld
      ? { ...before, state: "NotStarted", since: timestamp(now), suspend: true }
      : before;
  const { started: _started, pullStart: _pullStart, ...rest } = before;
  const counts = countsOf(feedback);
  const isHeld = feedback.isHeld && before.suspend === undefined;
  // Without its record, nothing else says that the Job of a cluster with a slot has to be resumed.
  if (reason === "Suspended" && before.state === "PreparingToStart")
    return isHeld ? { ...before, suspend: false } : before;
  if (reason === "Suspended" && (before.state === "NotStarted" || releasesSlot(before)))
    return {
      ...rest,
      state: "NotStarted",
      reason: "Returned",
      message: "The cluster has returned and waits for a slot; until then its Job is suspended.",
      since: before.state === "NotStarted" ? before.since : timestamp(now),
      suspend: true,
    };
  return {
    ...rest,
    state,
    reason,
    message,
    since: state === before.state ? before.since : timestamp(now),
    ...startOf(before, reason, feedback, now),
    ...counts,
    ...pullStartOf(before, reason, counts, now),
    ...(isHeld ? { suspend: true } : {}),
    // The agent has returned before its Job was suspended.
    ...(before.reason === "ClusterNotReached" && !feedback.isHeld ? { suspend: false } : {}),
  };
}

/**
 * Returns the record after the feedback of its ManifestWork, as read from the hub; the same object when nothing
 * changes. A final state stays, and an earlier attempt says nothing about a later one.
 */
export function recordAfter(before: ClusterRecord, feedback: WorkFeedback, now: Date): ClusterRecord {
  if (feedback.run.attempt !== before.attempt || isFinalState(before.state)) return before;
  const after = changedBy(before, feedback, now);
  return isSameJson(after, before) ? before : after;
}
