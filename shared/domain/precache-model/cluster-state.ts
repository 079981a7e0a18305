/** The states of a cluster in `status.precaching.status`, as TALM spells them, in the order of a run. */
export const clusterStates = [
  {
    state: "NotStarted",
    phase: "waiting",
    meaning: "It has no slot. The status has no entry for it; its record says what it waits for.",
  },
  {
    state: "PreparingToStart",
    phase: "running",
    meaning: "It has a slot; its ManifestWork is being created.",
  },
  {
    state: "Starting",
    phase: "running",
    meaning: "Its ManifestWork exists; its Job does not run, or is suspended.",
  },
  { state: "Active", phase: "running", meaning: "Its Job runs." },
  { state: "Succeeded", phase: "ended", meaning: "Its images are on the cluster." },
  { state: "PrecacheTimeout", phase: "ended", meaning: "Its deadline has passed." },
  {
    state: "UnrecoverableError",
    phase: "ended",
    meaning: "Its Job has failed, or the cluster refused an object.",
  },
] as const;

export type ClusterState = (typeof clusterStates)[number]["state"];

export const stateNames: readonly ClusterState[] = clusterStates.map(({ state }) => state);

/** All transitions between states, with their conditions. */
export const clusterTransitions: readonly Readonly<{
  from: readonly ClusterState[];
  to: readonly ClusterState[];
  when: string;
}>[] = [
  { from: ["NotStarted"], to: ["PreparingToStart"], when: "it gets a slot" },
  {
    from: ["PreparingToStart"],
    to: ["NotStarted"],
    when: "its windows close, or another upgrade has started on it, before its Job could run",
  },
  { from: ["PreparingToStart"], to: ["Starting"], when: "its ManifestWork exists" },
  { from: ["PreparingToStart", "Starting"], to: ["Active"], when: "its Job runs" },
  { from: ["Active"], to: ["Starting"], when: "its Job is suspended, or has to be created again" },
  { from: ["Starting"], to: ["NotStarted"], when: "its agent is unreachable, and its Job is suspended" },
  { from: ["Starting", "Active"], to: ["PreparingToStart"], when: "its ManifestWork was removed" },
  {
    from: ["PreparingToStart", "Starting", "Active"],
    to: ["Succeeded", "PrecacheTimeout", "UnrecoverableError"],
    when: "its Job has ended, or its deadline has passed",
  },
  {
    from: ["NotStarted"],
    to: ["Starting", "Active", "Succeeded", "PrecacheTimeout", "UnrecoverableError"],
    when: "a ManifestWork reports it: its record was lost, or its agent has returned",
  },
  {
    from: ["Succeeded", "PrecacheTimeout", "UnrecoverableError"],
    to: ["NotStarted"],
    when: "it is to be pre-cached again: a retry is requested, or images are missing before an opening",
  },
];

const phases: ReadonlyMap<string, string> = new Map(clusterStates.map(({ state, phase }) => [state, phase]));

/** Reports whether a run has ended in this state. */
export function isFinalState(
  state: string | undefined,
): state is "Succeeded" | "PrecacheTimeout" | "UnrecoverableError" {
  return state !== undefined && phases.get(state) === "ended";
}

/** Reports whether a cluster in this state has a slot. */
export function isRunningState(state: string | undefined): boolean {
  return state !== undefined && phases.get(state) === "running";
}

/** The reasons that the workload reports. Source: infra/precache-workload/end.sh. */
const workloadReasons = [
  "Pulling",
  "Completed",
  /** No index image has a requested package or its channel. All other images are on the cluster. */
  "PackagesNotFound",
  "Interrupted",
  "InvalidConfiguration",
  "ToolMissing",
  "NoSpace",
  "SpaceAboveThreshold",
  "ReleaseUnreadable",
  "CatalogUnreadable",
  "PullFailed",
  "Unauthorized",
  "ImageNotFound",
  "RejectedByPolicy",
  "VerificationFailed",
] as const;

/** The reasons of a Job's Failed condition. Source: k8s.io/api/batch/v1. */
const jobReasons = [
  "DeadlineExceeded",
  "BackoffLimitExceeded",
  "PodFailurePolicy",
  "FailedIndexes",
  "MaxFailedIndexesExceeded",
  "JobFailed",
] as const;

/** The reasons that only the hub sets. Clusters cannot report them, because the hub's decisions depend on them. */
const hubReasons = [
  "Waiting",
  /** The cluster has a slot and is being started. */
  "Claimed",
  /** The cluster has a slot, but its ManifestWork could not be created. */
  "NotCreated",
  "Removed",
  "WaitsForAgent",
  "Applied",
  /** The cluster rejects an object of the ManifestWork. */
  "NotApplied",
  "Suspended",
  "ClusterNotReached",
  /** The agent is reachable again, and the suspended Job waits for a slot. */
  "Returned",
  /** The deadline has passed, and the cluster has not reported the end of its run. */
  "NoReport",
  /** The record has a reason that this version of hubrelay does not know. */
  "Unknown",
] as const;

/** The reason of a run's state, as one word. */
export type RunReason = (typeof workloadReasons | typeof jobReasons | typeof hubReasons)[number];

const reasonAmong = <Reason extends RunReason>(reasons: readonly Reason[]) => {
  const known: ReadonlyMap<unknown, Reason> = new Map(reasons.map((reason) => [reason, reason]));
  return (value: unknown): Reason | undefined => known.get(value);
};

/** Returns the value if it is a reason that the workload reports; undefined otherwise. */
export const workloadReasonOf = reasonAmong(workloadReasons);

/** Reports whether a cluster has succeeded although a requested package or its channel was not found. */
export function isIncomplete({ state, reason }: Readonly<{ state: string; reason: string }>): boolean {
  return state === "Succeeded" && reason === "PackagesNotFound";
}

/** Returns the value if it is a reason of a failed Job; undefined otherwise. */
export const jobReasonOf = reasonAmong(jobReasons);

/** Returns the value if it is any known reason; undefined otherwise. */
export const recordedReasonOf = reasonAmong<RunReason>([...workloadReasons, ...jobReasons, ...hubReasons]);
