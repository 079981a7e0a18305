import { timestamp } from "../../kubernetes/timestamp.ts";
import { type ClusterState, isFinalState, isRunningState } from "../model/cluster-state.ts";
import type { WorkFeedback } from "../work/feedback.ts";
import { countOf, runStateOf } from "../work/run-state.ts";

/** What is known about one cluster of a CGU: what `status.precaching.status` has no room for. */
export type ClusterRecord = Readonly<{
  state: ClusterState;
  /** One word, as in a condition. */
  reason: string;
  message: string;
  /** From 1; a retry counts up. */
  attempt: number;
  /** Since when it is in this state, in RFC 3339. */
  since: string;
  /** From when the deadline counts; absent before there is a ManifestWork, and while its Job is suspended. */
  started?: string;
  imagesDone?: number;
  imagesTotal?: number;
  bytesDone?: number;
  bytesTotal?: number;
  /** What images may still take on the cluster before the kubelet begins to remove some. */
  bytesFree?: number;
  /** The ManifestWork's resourceVersion that this is from: a message with an older one changes nothing. */
  seen?: string;
}>;

/** What a message or the hub says about the ManifestWork of a run. */
export type Sighting = Readonly<{
  feedback: WorkFeedback;
  resourceVersion: string;
  /** It is not on the hub any more. */
  isGone?: boolean;
  /** It was read from the hub: whatever version is remembered, this is the present one. */
  isRead?: boolean;
}>;

/** So long an agent that is up takes at most to apply what is new for it. */
const reachSeconds = 90;
/** So long the end of a Job may take to reach the hub. */
const reportSeconds = 120;

const secondsSince = (text: string, now: Date): number => (now.getTime() - Date.parse(text)) / 1000;

/** True for a resourceVersion that can be compared, as an API server writes it: a decimal number of any length. */
export function isComparableVersion(version: string | undefined): version is string {
  return version !== undefined && /^[1-9][0-9]*$/.test(version);
}

/** Orders two resourceVersions of one kind. One that cannot be compared is the older. */
function isNewer(version: string, seen: string | undefined): boolean {
  if (!isComparableVersion(seen)) return true;
  return version.length === seen.length ? version > seen : version.length > seen.length;
}

/** A cluster before anything was done for this attempt. */
export function newRecord(attempt: number, now: Date): ClusterRecord {
  return { state: "NotStarted", reason: "Waiting", message: "", attempt, since: timestamp(now) };
}

/** The fields of a record that the workload counts. */
export const recordCounts = ["imagesDone", "imagesTotal", "bytesDone", "bytesTotal", "bytesFree"] as const;

function countsOf({ values }: WorkFeedback): Partial<Record<(typeof recordCounts)[number], number>> {
  return Object.fromEntries(
    recordCounts.flatMap((name) => {
      const count = countOf(values[name]);
      return count === undefined ? [] : [[name, count]];
    }),
  );
}

/** True while the cluster's agent has not taken up the run. */
const isNotTakenUp = ({ reason }: ClusterRecord): boolean =>
  reason === "WaitsForAgent" || reason === "ClusterNotReached";

/** True for a cluster that gave its place away because its agent does not come by. */
export function isUnreached({ state, reason }: ClusterRecord): boolean {
  return state === "NotStarted" && reason === "ClusterNotReached";
}

/**
 * True for a cluster that holds its place until its Job is suspended, because its agent does not come by: it could else
 * return when another has the place.
 */
export function givesPlaceAway({ state, reason }: ClusterRecord): boolean {
  return state === "Starting" && reason === "ClusterNotReached";
}

/** True while images may travel to a cluster: it is on its way in this state, and neither suspended nor away. */
export function isPulling(state: string | undefined, record: ClusterRecord | undefined): boolean {
  return isRunningState(state) && record?.reason !== "Suspended" && record?.reason !== "ClusterNotReached";
}

/** True for a cluster that is back, and whose suspended Job waits for a place. */
export function isReturned({ state, reason }: ClusterRecord): boolean {
  return state === "NotStarted" && reason === "Returned";
}

/** True for a run that ended by the hub's deadline: what is left of it on the cluster must not start later. */
export function isEndedByHub({ state, reason }: ClusterRecord): boolean {
  return isFinalState(state) && ["ClusterNotReached", "NoReport"].includes(reason);
}

/** The deadline counts from the ManifestWork, anew when the cluster takes it up, and not while it is suspended. */
function startOf(
  before: ClusterRecord,
  reason: string,
  { created }: WorkFeedback,
  now: Date,
): Pick<ClusterRecord, "started"> {
  if (reason === "Suspended") return {};
  const isTakenUp = isNotTakenUp(before) && reason !== "WaitsForAgent";
  if (isTakenUp || before.reason === "Suspended") return { started: timestamp(now) };
  return { started: before.started ?? created ?? timestamp(now) };
}

/**
 * Returns the record after a sighting; the same object when nothing follows from it. Whatever the order, and however
 * often each one comes, the end is the same: what was read counts, then the newest version; a final state stays, and
 * an earlier attempt says nothing about a later one.
 */
export function recordAfter(before: ClusterRecord, sighting: Sighting, now: Date): ClusterRecord {
  const { feedback, resourceVersion, isGone = false, isRead = false } = sighting;
  const { attempt } = feedback.run;
  if (attempt !== before.attempt || isFinalState(before.state)) return before;
  const next = runStateOf(isGone ? { ...feedback, isDeleting: true } : feedback);
  const isAsSeen = resourceVersion === before.seen && (isGone || givesPlaceAway(before));
  // The work is read before an end is recorded, whatever version the message claims.
  const isEnd = isFinalState(next?.state);
  if (!isRead && !isEnd && !isAsSeen && !isNewer(resourceVersion, before.seen)) return before;
  if (!next) return isRead ? { ...before, seen: resourceVersion } : before;
  const { state, reason, message } = next;
  const isUnchanged = isNotTakenUp(before) && reason === "WaitsForAgent";
  if (isUnchanged && before.seen !== undefined) {
    const isFree = givesPlaceAway(before) && feedback.isHeld;
    const free = isFree ? { state: "NotStarted" as const, since: timestamp(now) } : {};
    return { ...before, ...free, seen: resourceVersion };
  }
  const { started: _started, ...rest } = before;
  if (reason === "Suspended" && before.state === "PreparingToStart")
    return { ...before, seen: resourceVersion };
  if (reason === "Suspended" && (before.state === "NotStarted" || givesPlaceAway(before)))
    return {
      ...rest,
      state: "NotStarted",
      reason: "Returned",
      message: "The cluster is back and waits for a place; until then its Job is suspended.",
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

/** A run's usual way from its place to a Job that pulls; a message says nothing else in words of its own. */
const usualWay: readonly string[] = ["Starting WaitsForAgent", "Starting Applied", "Active Pulling"];

function isForward(before: ClusterRecord, after: ClusterRecord): boolean {
  const placeOf = ({ state, reason }: ClusterRecord) => usualWay.indexOf(`${state} ${reason}`);
  const isOnTheWay = before.state === "PreparingToStart" || placeOf(before) >= 0;
  return isOnTheWay && placeOf(after) > placeOf(before);
}

/**
 * Returns the record after a message that anyone may have sent; undefined when its ManifestWork has to be read first.
 * A message is believed only where it takes a run forward on its usual way, and for the figures that nothing is decided
 * from: a read of every cluster for these would double the cost. An end, a removal, a suspension, a way back and the
 * bytes that windows count with are recorded from the hub alone.
 */
export function recordAfterMessage(
  before: ClusterRecord,
  message: Sighting,
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
 * The record after so much time alone; the same object when nothing follows from it. A cluster whose agent does not
 * come by gives its place to another once its Job is suspended, and goes on when it returns; one that has not ended when its deadline has
 * passed ends here, whatever its last word was: that may be old.
 */
export function recordInTime(before: ClusterRecord, timeoutMinutes: number, now: Date): ClusterRecord {
  const { state, reason, started } = before;
  if (isFinalState(state) || started === undefined) return before;
  const reportable = isNotTakenUp(before) ? 0 : reportSeconds;
  const elapsed = secondsSince(started, now);
  const isLate = elapsed >= timeoutMinutes * 60 + reportable;
  const isOutOfReach = reason === "WaitsForAgent" && elapsed >= reachSeconds;
  if (!isLate && !isOutOfReach) return before;
  if (isLate) {
    const since = timestamp(now);
    if (reason === "NotApplied") return { ...before, state: "UnrecoverableError", since };
    const message = isNotTakenUp(before)
      ? `The cluster's agent did not come by within ${timeoutMinutes} min.`
      : `The cluster told no end within ${timeoutMinutes} min. Its last word: ${before.message || reason}`;
    const why = isNotTakenUp(before) ? "ClusterNotReached" : "NoReport";
    return { ...before, state: "PrecacheTimeout", reason: why, message, since };
  }
  return {
    ...before,
    reason: "ClusterNotReached",
    message: "The cluster's agent does not come by; it starts when the cluster returns.",
  };
}

/** When `recordInTime` has to be asked again; undefined when time changes nothing. */
export function nextDeadline(record: ClusterRecord, timeoutMinutes: number): Date | undefined {
  const { state, reason, started } = record;
  if (isFinalState(state) || started === undefined) return undefined;
  const seconds =
    reason === "WaitsForAgent"
      ? Math.min(reachSeconds, timeoutMinutes * 60)
      : timeoutMinutes * 60 + (isNotTakenUp(record) ? 0 : reportSeconds);
  return new Date(Date.parse(started) + seconds * 1000);
}

/** A claim that nobody acted upon for so long: whoever made it was killed, or its message was lost. */
export const staleClaimSeconds = 30;

/** True for a claim that is so old that its work should be there. */
export function isStaleClaim({ state, since }: ClusterRecord, now: Date): boolean {
  return state === "PreparingToStart" && now.getTime() - Date.parse(since) >= staleClaimSeconds * 1000;
}
