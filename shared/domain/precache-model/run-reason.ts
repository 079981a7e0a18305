/** The reasons that the workload reports, while it pulls and at its end. Source: infra/precache-workload/end.sh. */
const workloadReasons = [
  "Pulling",
  "Completed",
  /** Every image that is named by something is on the cluster; no index has a package or its channel. */
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

/** Why Kubernetes ends a Job. Source: k8s.io/api/batch/v1, the reasons of a Job's Failed condition. */
const jobReasons = [
  "DeadlineExceeded",
  "BackoffLimitExceeded",
  "PodFailurePolicy",
  "FailedIndexes",
  "MaxFailedIndexesExceeded",
  "JobFailed",
] as const;

/** The reasons that the hub finds by itself. Decisions depend on these, so no cluster can report one. */
const hubReasons = [
  /** Not started. */
  "Waiting",
  /** It has a slot, and is being started. */
  "Claimed",
  /** It has a slot, but its ManifestWork could not be created. */
  "NotCreated",
  /** Its ManifestWork is gone. */
  "Removed",
  /** The cluster's agent has not applied the ManifestWork. */
  "WaitsForAgent",
  "Applied",
  /** The cluster rejects an object of the ManifestWork. */
  "NotApplied",
  "Suspended",
  /** Its agent is unreachable. */
  "ClusterNotReached",
  /** Its agent was unreachable; its suspended Job waits for a slot. */
  "Returned",
  /** Its deadline has passed without a report of its end. */
  "NoReport",
  /** Recorded by another version of hubrelay. */
  "Unknown",
] as const;

/** Why a cluster's run has its state, as one word. */
export type RunReason = (typeof workloadReasons | typeof jobReasons | typeof hubReasons)[number];

const reasonAmong = <Reason extends RunReason>(reasons: readonly Reason[]) => {
  const known: ReadonlyMap<unknown, Reason> = new Map(reasons.map((reason) => [reason, reason]));
  return (value: unknown): Reason | undefined => known.get(value);
};

/** Returns the reason that the workload reports, if it is one of its own. */
export const workloadReasonOf = reasonAmong(workloadReasons);

/** True for a cluster that has succeeded without a part of the request. */
export function isIncomplete({ state, reason }: Readonly<{ state: string; reason: string }>): boolean {
  return state === "Succeeded" && reason === "PackagesNotFound";
}

/** Returns the reason of a failed Job, if it is one that Kubernetes gives. */
export const jobReasonOf = reasonAmong(jobReasons);

/** Returns a recorded reason. */
export const recordedReasonOf = reasonAmong<RunReason>([...workloadReasons, ...jobReasons, ...hubReasons]);
