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

/** The recorded state of one cluster of a ClusterGroupUpgrade, in more detail than in `status.precaching.status`. */
export const clusterRecord = object({
  state: required(
    choice(stateNames, {
      description:
        "As in status.precaching.status of the ClusterGroupUpgrade; NotStarted has no entry there.",
    }),
  ),
  // Another version of hubrelay may have recorded a reason that is unknown here.
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

/** Returns the record of a cluster before an attempt. */
export function newRecord(attempt: number, now: Date): ClusterRecord {
  return { state: "NotStarted", reason: "Waiting", message: "", attempt, since: timestamp(now) };
}

/** Reports whether the cluster's agent has yet to apply the run. */
export const isNotApplied = ({ reason }: ClusterRecord): boolean =>
  reason === "WaitsForAgent" || reason === "ClusterNotReached";

/** Reports whether a cluster released its slot because its agent is unreachable. */
export function isUnreached({ state, reason }: ClusterRecord): boolean {
  return state === "NotStarted" && reason === "ClusterNotReached";
}

/**
 * Reports whether a cluster with an unreachable agent keeps its slot until its Job is suspended: otherwise the cluster
 * could return while another one uses the slot.
 */
export function releasesSlot({ state, reason }: ClusterRecord): boolean {
  return state === "Starting" && reason === "ClusterNotReached";
}

/** Reports whether a cluster may pull images: its run is in progress, and neither suspended nor unreachable. */
export function isPulling(state: string | undefined, record: ClusterRecord | undefined): boolean {
  const isResumed = record?.reason === "Suspended" && record.suspend === false;
  const isPaused = record?.reason === "Suspended" || record?.reason === "ClusterNotReached";
  return isRunningState(state) && (isResumed || !isPaused);
}

/** Reports whether a cluster has returned and its suspended Job waits for a slot. */
export function isReturned({ state, reason }: ClusterRecord): boolean {
  return state === "NotStarted" && reason === "Returned";
}

/** Reports whether a run ended by the hub's deadline: its objects on the cluster must not start later. */
export function isEndedByHub({ state, reason }: ClusterRecord): boolean {
  return isFinalState(state) && (reason === "ClusterNotReached" || reason === "NoReport");
}

/**
 * Returns the fields of a record that a later run keeps: bytes, because complete images stay on the cluster, and the
 * result of the last check, because each opening has only one check.
 */
export function keptOf(record: ClusterRecord): Pick<ClusterRecord, "bytesDone" | "bytesTotal" | "check"> {
  const { bytesDone, bytesTotal, check } = record;
  return {
    ...(bytesDone === undefined ? {} : { bytesDone }),
    ...(bytesTotal === undefined ? {} : { bytesTotal }),
    ...(check === undefined || isChecking(record) ? {} : { check }),
  };
}

/** Returns the record of a cluster that has got a slot. A suspended Job is resumed. */
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

/** Returns `status.precaching.status` for these records; clusters that have not started have no entry. */
export function statesFor(records: Records): Readonly<Record<string, ClusterState>> {
  return Object.fromEntries(
    [...records].flatMap(([cluster, { state }]): [string, ClusterState][] =>
      state === "NotStarted" ? [] : [[cluster, state]],
    ),
  );
}

/** Returns a count: an integer from a Job, or a string from a ConfigMap. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
