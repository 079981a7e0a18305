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
import { textOf } from "../kubernetes/json/values.ts";
import { timestamp } from "../kubernetes/object.ts";
import { checkRecord, isChecking } from "./check-record.ts";
import {
  type ClusterState,
  isFinalState,
  isRunningState,
  recordedReasonOf,
  stateNames,
} from "./cluster-state.ts";

const bytes = (definition: Definition = {}) => whole({ minimum: 0, format: "int64", ...definition });

/** The stored fields of a cluster's record, which is the cluster's detailed state in a ClusterGroupUpgrade. */
export const clusterRecord = object({
  state: required(
    choice(stateNames, {
      description:
        "As in status.precaching.status of the ClusterGroupUpgrade; NotStarted has no entry there.",
    }),
  ),
  // A reason that only another version of hubrelay knows is read as `Unknown`.
  reason: required({
    ...text({ description: "One word." }),
    read: (value) => recordedReasonOf(value) ?? "Unknown",
  }),
  message: required({ ...text(), read: (value) => textOf(value) ?? "" }),
  attempt: required(whole({ minimum: 1, description: "Increases with each retry." })),
  since: required(time({ description: "When it entered this state." })),
  // Absent until the ManifestWork exists, and while the Job is suspended.
  started: time({ description: "Start of its deadline." }),
  imagesDone: whole({ minimum: 0 }),
  imagesTotal: whole({ minimum: 0 }),
  bytesDone: bytes(),
  bytesTotal: bytes(),
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

/** The records of a ClusterGroupUpgrade's clusters, by cluster name. */
export type Records = ReadonlyMap<string, ClusterRecord>;

/** Returns the record of a cluster that waits for the start of this attempt. */
export function newRecord(attempt: number, now: Date): ClusterRecord {
  return { state: "NotStarted", reason: "Waiting", message: "", attempt, since: timestamp(now) };
}

/** Reports whether the cluster's agent has not yet applied the ManifestWork. */
export const isNotApplied = ({ reason }: ClusterRecord): boolean =>
  reason === "WaitsForAgent" || reason === "ClusterNotReached";

/** Reports whether a cluster lost its slot because its agent became unreachable. */
export function isUnreached({ state, reason }: ClusterRecord): boolean {
  return state === "NotStarted" && reason === "ClusterNotReached";
}

/**
 * Reports whether a running cluster is to release its slot because its agent is unreachable. It keeps the slot until
 * its Job is suspended: otherwise it could return and pull while another cluster uses the slot.
 */
export function releasesSlot({ state, reason }: ClusterRecord): boolean {
  return state === "Starting" && reason === "ClusterNotReached";
}

/** Reports whether a cluster may be pulling: it runs, its agent is reachable, and its Job is not suspended. */
export function isPulling(state: string | undefined, record: ClusterRecord | undefined): boolean {
  const isResumed = record?.reason === "Suspended" && record.suspend === false;
  const isPaused = record?.reason === "Suspended" || record?.reason === "ClusterNotReached";
  return isRunningState(state) && (isResumed || !isPaused);
}

/** Reports whether a cluster was unreachable, is reachable again, and waits for a slot to resume its suspended Job. */
export function isReturned({ state, reason }: ClusterRecord): boolean {
  return state === "NotStarted" && reason === "Returned";
}

/** Reports whether the hub ended a run at its deadline without a report. The run's Job must not start any more. */
export function isEndedByHub({ state, reason }: ClusterRecord): boolean {
  return isFinalState(state) && (reason === "ClusterNotReached" || reason === "NoReport");
}

/**
 * Returns the fields of a record that the next run keeps: bytes, because complete images stay on the cluster, and the
 * last check's result, because a cluster is checked only once before each opening of a window.
 */
export function keptOf(record: ClusterRecord): Pick<ClusterRecord, "bytesDone" | "bytesTotal" | "check"> {
  const { bytesDone, bytesTotal, check } = record;
  return {
    ...(bytesDone === undefined ? {} : { bytesDone }),
    ...(bytesTotal === undefined ? {} : { bytesTotal }),
    ...(check === undefined || isChecking(record) ? {} : { check }),
  };
}

/** Returns the record of a cluster that gets a slot now. */
export function claimed(record: ClusterRecord | undefined, now: Date): ClusterRecord {
  const since = timestamp(now);
  const { attempt, suspend } = record ?? newRecord(1, now);
  return {
    state: "PreparingToStart",
    reason: "Claimed",
    message: "It has a slot and is being started.",
    attempt,
    since,
    started: since,
    ...(suspend === undefined ? {} : { suspend: false }),
    ...(record && keptOf(record)),
  };
}

/** Returns `status.precaching.status` for these records. Clusters in the state `NotStarted` have no entry. */
export function statesFor(records: Records): Readonly<Record<string, ClusterState>> {
  return Object.fromEntries(
    [...records].flatMap(([cluster, { state }]): [string, ClusterState][] =>
      state === "NotStarted" ? [] : [[cluster, state]],
    ),
  );
}

/** Returns a count from the integer of a Job or the text of a ConfigMap; undefined for other values. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
