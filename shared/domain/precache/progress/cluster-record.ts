import { timestamp } from "../../kubernetes/timestamp.ts";
import { type ClusterState, isFinalState, isRunningState } from "../model/cluster-state.ts";
import type { WorkFeedback } from "../work/feedback.ts";
import { countOf, runStateOf } from "../work/run-state.ts";

/** The recorded state of one cluster of a CGU, in more detail than in `status.precaching.status`. */
export type ClusterRecord = Readonly<{
  state: ClusterState;
  /** One word, as in a condition. */
  reason: string;
  message: string;
  /** From 1, incremented by each retry. */
  attempt: number;
  /** When it entered this state, in RFC 3339. */
  since: string;
  /** The start of the deadline; absent before there is a ManifestWork, and while its Job is suspended. */
  started?: string;
  imagesDone?: number;
  imagesTotal?: number;
  bytesDone?: number;
  bytesTotal?: number;
  /** Bytes that images may still use on the cluster before the kubelet starts to remove some. */
  bytesFree?: number;
  /** The resourceVersion of the ManifestWork that this is from: a message with an older one changes nothing. */
  seen?: string;
}>;

/** The state of a run's ManifestWork, from a message or from the hub. */
export type WorkObservation = Readonly<{
  feedback: WorkFeedback;
  resourceVersion: string;
  /** It no longer exists on the hub. */
  isGone?: boolean;
  /** It was read from the hub, so it is current, whatever version is recorded. */
  isRead?: boolean;
}>;

/** The maximum time that a reachable agent takes to apply a new ManifestWork. */
const reachSeconds = 90;
/** The maximum time until the end of a Job is visible on the hub. */
const reportSeconds = 120;

const secondsSince = (text: string, now: Date): number => (now.getTime() - Date.parse(text)) / 1000;

/** True for a resourceVersion that can be compared: a decimal number of any length, as an API server writes it. */
export function isComparableVersion(version: string | undefined): version is string {
  return version !== undefined && /^[1-9][0-9]*$/.test(version);
}

/** A resourceVersion that cannot be compared counts as older. */
function isNewer(version: string, seen: string | undefined): boolean {
  if (!isComparableVersion(seen)) return true;
  return version.length === seen.length ? version > seen : version.length > seen.length;
}

/** Returns the record of a cluster before an attempt. */
export function newRecord(attempt: number, now: Date): ClusterRecord {
  return { state: "NotStarted", reason: "Waiting", message: "", attempt, since: timestamp(now) };
}

/** The fields of a record that the workload reports. */
export const recordCounts = ["imagesDone", "imagesTotal", "bytesDone", "bytesTotal", "bytesFree"] as const;

function countsOf({ values }: WorkFeedback): Partial<Record<(typeof recordCounts)[number], number>> {
  return Object.fromEntries(
    recordCounts.flatMap((name) => {
      const count = countOf(values[name]);
      return count === undefined ? [] : [[name, count]];
    }),
  );
}

/** True while the cluster's agent has not applied the run. */
const isNotApplied = ({ reason }: ClusterRecord): boolean =>
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
  return isRunningState(state) && record?.reason !== "Suspended" && record?.reason !== "ClusterNotReached";
}

/** True for a cluster that has returned, and whose suspended Job waits for a slot. */
export function isReturned({ state, reason }: ClusterRecord): boolean {
  return state === "NotStarted" && reason === "Returned";
}

/** True for a run that ended by the hub's deadline: its objects on the cluster must not start later. */
export function isEndedByHub({ state, reason }: ClusterRecord): boolean {
  return isFinalState(state) && ["ClusterNotReached", "NoReport"].includes(reason);
}

/** The deadline starts with the ManifestWork, restarts when that is applied, and pauses while suspended. */
function startOf(
  before: ClusterRecord,
  reason: string,
  { created }: WorkFeedback,
  now: Date,
): Pick<ClusterRecord, "started"> {
  if (reason === "Suspended") return {};
  const isApplied = isNotApplied(before) && reason !== "WaitsForAgent";
  if (isApplied || before.reason === "Suspended") return { started: timestamp(now) };
  return { started: before.started ?? created ?? timestamp(now) };
}

/**
 * Returns the record after an observation; the same object when nothing changes. The result does not depend on order
 * or repetition: what was read wins, then the newest version; a final state stays, and an earlier attempt says
 * nothing about a later one.
 */
export function recordAfter(before: ClusterRecord, observation: WorkObservation, now: Date): ClusterRecord {
  const { feedback, resourceVersion, isGone = false, isRead = false } = observation;
  const { attempt } = feedback.run;
  if (attempt !== before.attempt || isFinalState(before.state)) return before;
  const next = runStateOf(isGone ? { ...feedback, isDeleting: true } : feedback);
  const isAsSeen = resourceVersion === before.seen && (isGone || releasesSlot(before));
  // The ManifestWork is read before an end is recorded, whatever version the message has.
  const isEnd = isFinalState(next?.state);
  if (!isRead && !isEnd && !isAsSeen && !isNewer(resourceVersion, before.seen)) return before;
  if (!next) return isRead ? { ...before, seen: resourceVersion } : before;
  const { state, reason, message } = next;
  const isUnchanged = isNotApplied(before) && reason === "WaitsForAgent";
  if (isUnchanged && before.seen !== undefined) {
    const isFree = releasesSlot(before) && feedback.isHeld;
    const free = isFree ? { state: "NotStarted" as const, since: timestamp(now) } : {};
    return { ...before, ...free, seen: resourceVersion };
  }
  const { started: _started, ...rest } = before;
  if (reason === "Suspended" && before.state === "PreparingToStart")
    return { ...before, seen: resourceVersion };
  if (reason === "Suspended" && (before.state === "NotStarted" || releasesSlot(before)))
    return {
      ...rest,
      state: "NotStarted",
      reason: "Returned",
      message: "The cluster has returned and waits for a slot; until then its Job is suspended.",
      since: before.state === "NotStarted" ? before.since : timestamp(now),
      seen: resourceVersion,
    };
  return {
    ...rest,
    state,
    reason,
    message,
    since: state === before.state ? before.since : timestamp(now),
    ...startOf(before, reason, feedback, now),
    ...countsOf(feedback),
    seen: resourceVersion,
  };
}

/** The usual progress of a run to a Job that pulls; these messages have no text of their own. */
const usualProgress: readonly string[] = ["Starting WaitsForAgent", "Starting Applied", "Active Pulling"];

function isForward(before: ClusterRecord, after: ClusterRecord): boolean {
  const stepOf = ({ state, reason }: ClusterRecord) => usualProgress.indexOf(`${state} ${reason}`);
  const isUsual = before.state === "PreparingToStart" || stepOf(before) >= 0;
  return isUsual && stepOf(after) > stepOf(before);
}

/**
 * Returns the record after a message that anyone may have sent; undefined when its ManifestWork has to be read first.
 * A message is trusted only for progress along the usual steps, and for figures without effect on decisions: reads of
 * every cluster for these would double the cost. An end, a removal, a suspension, a return, and the byte counts that
 * windows use are recorded only from the hub.
 */
export function recordAfterMessage(
  before: ClusterRecord,
  message: WorkObservation,
  now: Date,
): ClusterRecord | undefined {
  const after = recordAfter(before, message, now);
  if (after === before) return before;
  const isSame =
    after.state === before.state && after.reason === before.reason && after.message === before.message;
  if (!isSame && !isForward(before, after)) return undefined;
  const { bytesTotal: _total, bytesFree: _free, ...others } = after;
  const { bytesTotal, bytesFree } = before;
  return {
    ...others,
    ...(bytesTotal === undefined ? {} : { bytesTotal }),
    ...(bytesFree === undefined ? {} : { bytesFree }),
  };
}

/**
 * Returns the record after a timeout; the same object when nothing changes. A cluster whose agent is unreachable
 * releases its slot once its Job is suspended, and continues when it returns; a run past its deadline ends here,
 * whatever its last report was, because that may be old.
 */
export function recordInTime(before: ClusterRecord, timeoutMinutes: number, now: Date): ClusterRecord {
  const { state, reason, started } = before;
  if (isFinalState(state) || started === undefined) return before;
  const reportable = isNotApplied(before) ? 0 : reportSeconds;
  const elapsed = secondsSince(started, now);
  const isLate = elapsed >= timeoutMinutes * 60 + reportable;
  const isUnreachable = reason === "WaitsForAgent" && elapsed >= reachSeconds;
  if (!isLate && !isUnreachable) return before;
  if (isLate) {
    const since = timestamp(now);
    if (reason === "NotApplied") return { ...before, state: "UnrecoverableError", since };
    const message = isNotApplied(before)
      ? `The cluster's agent was unreachable for ${timeoutMinutes} min.`
      : `The cluster reported no end within ${timeoutMinutes} min. Its last report: ${before.message || reason}`;
    const why = isNotApplied(before) ? "ClusterNotReached" : "NoReport";
    return { ...before, state: "PrecacheTimeout", reason: why, message, since };
  }
  return {
    ...before,
    reason: "ClusterNotReached",
    message: "The cluster's agent is unreachable; the run starts when the cluster returns.",
  };
}

/** Returns when `recordInTime` may change the record next; undefined when it will not. */
export function nextDeadline(record: ClusterRecord, timeoutMinutes: number): Date | undefined {
  const { state, reason, started } = record;
  if (isFinalState(state) || started === undefined) return undefined;
  const seconds =
    reason === "WaitsForAgent"
      ? Math.min(reachSeconds, timeoutMinutes * 60)
      : timeoutMinutes * 60 + (isNotApplied(record) ? 0 : reportSeconds);
  return new Date(Date.parse(started) + seconds * 1000);
}

/** After this time a claim is stale: the process that made it was killed, or its message was lost. */
export const staleClaimSeconds = 30;

/** True for a claim so old that its ManifestWork should exist. */
export function isStaleClaim({ state, since }: ClusterRecord, now: Date): boolean {
  return state === "PreparingToStart" && now.getTime() - Date.parse(since) >= staleClaimSeconds * 1000;
}
