import type { ClusterProgress } from "./fleet-status.ts";

const moreTime =
  "Raise remediationStrategy.timeout of the ClusterGroupUpgrade, or the bandwidth to the cluster; a retry pulls only what is missing.";
const jobOnCluster =
  "Read the Job, its pods and their logs on the cluster, in the namespace openshift-talo-pre-cache.";
const agent =
  "Check that the cluster runs, reaches the hub, and that its agent does: pods in open-cluster-management-agent.";
const diskSpace = "Free space on the node's disk, or lower spaceRequired in the PreCachingConfig.";

/** What a person does about each reason; empty where there is nothing to do but to wait. */
export const remedies: Readonly<Record<ClusterProgress["reason"], string>> = {
  Pulling: "",
  Completed: "",
  PackagesNotFound: "Correct the package or channel of the Subscription, or the tag of the index.",
  Interrupted: moreTime,
  InvalidConfiguration: "Fix the field that the message names in the PreCachingConfig.",
  ToolMissing: "Use a complete image of the workload, on a node with podman and jq.",
  NoSpace: diskSpace,
  SpaceAboveThreshold: diskSpace,
  ReleaseUnreadable:
    "Check that the platform image is a release image, and that the node reaches its registry.",
  CatalogUnreadable: "Check that the index is a catalog's image, and that the node reaches its registry.",
  PullFailed: "Check the registry that the message names, and the link from the cluster to it.",
  Unauthorized: "Add a login for the registry that the message names to the cluster's pull secret.",
  ImageNotFound: "Mirror the image that the message names; 'hubrelay ready' lists all that mirrors lack.",
  RejectedByPolicy: "Mirror the image's signature, or change the node's signature policy.",
  VerificationFailed:
    "Find what removed images from the node meanwhile: the kubelet does when its disk is full.",
  DeadlineExceeded: moreTime,
  BackoffLimitExceeded: jobOnCluster,
  PodFailurePolicy: jobOnCluster,
  FailedIndexes: jobOnCluster,
  MaxFailedIndexesExceeded: jobOnCluster,
  JobFailed: jobOnCluster,
  Waiting: "",
  Claimed: "",
  NotCreated: "Fix what the message says about the cluster's namespace on the hub; it is retried until then.",
  Removed: "",
  WaitsForAgent: "",
  Applied: "",
  NotApplied: "Fix on the cluster what the message names; its agent retries.",
  Suspended: "",
  ClusterNotReached: agent,
  Returned: "",
  NoReport: agent,
  Unknown: "Read the message with the version of hubrelay that recorded it.",
  WaitsForWindow: "",
};

/** Returns what a person does about the reason of a cluster; empty where there is nothing to do but to wait. */
export const remedyOf = ({ reason }: Pick<ClusterProgress, "reason">): string => remedies[reason];
