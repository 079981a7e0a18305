import { missingImages } from "../../precache-model/check-record.ts";
import { isFinalState, isIncomplete } from "../../precache-model/cluster-state.ts";
import { shellWord } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import type { ClusterForecast } from "../forecast/forecast.ts";
import { type ClusterGroup, clusterGroupOf } from "./cluster-groups.ts";
import type { ClusterProgress, FleetStatus } from "./fleet-status.ts";

const moreTime =
  "Raise remediationStrategy.timeout of the ClusterGroupUpgrade, or the bandwidth to the cluster; a retry pulls only what is missing.";
const jobOnCluster =
  "Read the Job, its pods and their logs on the cluster, in the namespace openshift-talo-pre-cache.";
const agent =
  "Check that the cluster runs, reaches the hub, and that its agent does: pods in open-cluster-management-agent.";
const diskSpace = "Free space on the node's disk, or lower spaceRequired in the PreCachingConfig.";

/** What a user can do about each reason; empty if there is nothing to do. */
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

/** Returns what a user can do about a cluster's reason; empty if there is nothing to do. */
export const remedyOf = ({ reason }: Pick<ClusterProgress, "reason">): string => remedies[reason];

/** How one cluster is doing in one upgrade, why, and what to do. */
export type ClusterStory = Readonly<{
  namespace: string;
  name: string;
  cluster: string;
  group: ClusterGroup | "left alone";
  /** The cluster's progress; absent if an ImageBasedGroupUpgrade handles the cluster. */
  progress?: ClusterProgress;
  forecast?: ClusterForecast;
  /** The due time in RFC 3339; absent if the forecast has no due time. */
  by?: string;
  /** Why the cluster does not have all images; empty if it has them. */
  reason: string;
  remedy: string;
  /** The command to run after the remedy; empty if none is needed. */
  next: string;
}>;

/** Returns the command that retries a cluster or, without `cluster`, all failed ones. `key` is `NAMESPACE/NAME`. */
export function retryCommand(key: string, cluster?: string): string {
  const of = cluster === undefined ? "" : sentence` --cluster ${shellWord(cluster)}`;
  return sentence`hubrelay precache retry ${shellWord(key)}${of}`;
}

function lostImages({ name, check, attempt, state }: ClusterProgress): string {
  const missing = missingImages({ state, attempt, ...(check ? { check } : {}) });
  if (missing === 0) return "";
  const names = check?.message ? sentence`: ${check.message}` : "";
  return sentence`${name} has lost ${missing} images since they were pre-cached${names}`;
}

function progressOf(status: FleetStatus, progress: ClusterProgress): Omit<ClusterStory, "cluster"> {
  const { namespace, name, forecast } = status;
  const key = `${namespace}/${name}`;
  const lost = lostImages(progress);
  const isDone = progress.state === "Succeeded" && !isIncomplete(progress) && lost === "";
  const found = forecast?.byCluster.find((one) => one.name === progress.name);
  const why = [progress.reason, progress.message].filter(Boolean).join(": ");
  return {
    namespace,
    name,
    group: clusterGroupOf(progress),
    progress,
    ...(found ? { forecast: found } : {}),
    ...(found && forecast?.by !== undefined ? { by: forecast.by } : {}),
    reason: isDone ? "" : lost || why,
    remedy: remedyOf(progress),
    next: !isDone && isFinalState(progress.state) ? retryCommand(key, progress.name) : "",
  };
}

/** Returns how a cluster is doing in each upgrade that selects the cluster. */
export function clusterStories(fleets: readonly FleetStatus[], cluster: string): readonly ClusterStory[] {
  return fleets.flatMap((status): ClusterStory[] => {
    const { namespace, name, clusters, leftAlone = [] } = status;
    const progress = clusters.find((one) => one.name === cluster);
    if (progress) return [{ cluster, ...progressOf(status, progress) }];
    const left = leftAlone.find((one) => one.name === cluster);
    if (!left) return [];
    const { reason } = left;
    return [{ namespace, name, cluster, group: "left alone", reason, remedy: "", next: "" }];
  });
}
