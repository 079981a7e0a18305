import { clusterQueue, feedbackQueue } from "#shared/domain/precache-model/cluster-event.ts";
import { type FunctionManifest, type HubRole, rule } from "#shared/runtime/function-manifest.ts";

export const manifest = {
  name: "precache-status",
  description:
    "Decides which clusters pre-cache, and records their progress in the status of ClusterGroupUpgrades",
  queue: feedbackQueue,
  queueHolds: "reports of managed clusters",
  batch: { size: 2000, windowSeconds: 1 },
  timeoutSeconds: 60,
  concurrency: {
    onLambda: 2,
    pods: 2,
    why: "One write covers the changes of all clusters: more would only cause conflicts.",
  },
  messagesPerPod: 1000,
  sendsTo: [clusterQueue, feedbackQueue],
  alarms: {
    waits: "A report of a cluster has waited for 15 minutes: the function does not run, or is too slow.",
    retries:
      "The status of an upgrade is retried repeatedly; see the log's retry and failed entries. After ten attempts the messages become dead letters.",
  },
} as const satisfies FunctionManifest;

/** Returns the function's permissions on the hub. */
export const hubRole = (): HubRole => ({
  why: "decides which clusters of ClusterGroupUpgrades run, and writes their progress to status and PreCachingReports.",
  rules: [
    rule("get", "precachingconfigs", "ran.openshift.io", { why: "Sources." }),
    rule("list", "maintenancewindows", "hubrelay.dev"),
    rule("get", "readinessreports", "hubrelay.dev"),
    rule("list", "managedclusters", "cluster.open-cluster-management.io"),
    rule("get list update", "clustergroupupgrades", "ran.openshift.io", {
      why: "Targets. Updated to remove the annotation of a retry or a check; listed, because upgrades share clusters and registries.",
    }),
    rule("update", "clustergroupupgrades/status", "ran.openshift.io"),
    rule("list create update delete", "precachingreports", "hubrelay.dev"),
    rule("get list delete", "manifestworks", "work.open-cluster-management.io", {
      why: "Read before an end is recorded; deleted when their upgrade is gone, or when their content is outdated.",
    }),
  ],
});
