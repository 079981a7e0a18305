import { isSameJson } from "../kubernetes/json/values.ts";
import { timestamp } from "../kubernetes/object.ts";
import { type ClusterRecord, countOf, isNotApplied, releasesSlot } from "../precache-model/cluster-record.ts";
import { isFinalState, type RunReason } from "../precache-model/cluster-state.ts";
import { runStateOf, type WorkFeedback } from "./feedback.ts";

const recordCounts = ["imagesDone", "imagesTotal", "bytesDone", "bytesTotal"] as const;

type RecordCount = (typeof recordCounts)[number];

/** For each count, the count that is its total. Every run has images, so a count is unknown if its total is 0. */
const totals: Readonly<Record<RecordCount, RecordCount>> = {
  imagesDone: "imagesTotal",
  imagesTotal: "imagesTotal",
  bytesDone: "bytesTotal",
  bytesTotal: "bytesTotal",
};

function countsOf({ values }: WorkFeedback): Partial<Record<RecordCount, number>> {
  return Object.fromEntries(
    recordCounts.flatMap((name) => {
      const count = countOf(values[name]);
      const isUnknown = countOf(values[totals[name]]) === 0;
      return count === undefined || isUnknown ? [] : [[name, count]];
    }),
  );
}

/** Returns the time from which the deadline is counted; empty while the Job is suspended. */
function startOf(
  before: ClusterRecord,
  reason: RunReason,
  { created }: WorkFeedback,
  now: Date,
): Pick<ClusterRecord, "started"> {
  if (reason === "Suspended") return {};
  const isApplied = isNotApplied(before) && reason !== "WaitsForAgent";
  if (isApplied || before.reason === "Suspended") return { started: timestamp(now) };
  // The time of a new run begins when its ManifestWork is created; the ManifestWork of a resumed run is older.
  const isCreatedLater =
    before.state === "PreparingToStart" && Date.parse(created ?? "") > Date.parse(before.started ?? "");
  return { started: (isCreatedLater ? created : before.started) ?? created ?? timestamp(now) };
}

/** Returns where a speed is measured from: the first report of a run, or the first report after a suspension. */
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
  // The cluster has a slot, but its Job is suspended. The hub resumes the Job only if the record has `suspend: false`.
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
    // The agent is reachable again before the hub has suspended the Job: the planned suspension is cancelled.
    ...(before.reason === "ClusterNotReached" && !feedback.isHeld ? { suspend: false } : {}),
  };
}

/** Returns the record after this feedback from the cluster's ManifestWork; the same object if nothing changes. */
export function recordAfter(before: ClusterRecord, feedback: WorkFeedback, now: Date): ClusterRecord {
  if (feedback.run.attempt !== before.attempt || isFinalState(before.state)) return before;
  const after = changedBy(before, feedback, now);
  return isSameJson(after, before) ? before : after;
}
