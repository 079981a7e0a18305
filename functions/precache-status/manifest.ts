import { clusterQueue, feedbackQueue } from "#shared/domain/precache/model/cluster-event.ts";
import type { FunctionManifest, HubRole } from "#shared/runtime/function-manifest.ts";

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

/** Apart from the manifest: no process needs it. */
export const hubRole = {
  why: "decides which clusters of ClusterGroupUpgrades run, and writes their progress to status and PreCachingReports.",
  rules: [
    { why: "Sources.", apiGroups: ["ran.openshift.io"], resources: ["precachingconfigs"], verbs: ["get"] },
    { apiGroups: ["hubrelay.dev"], resources: ["maintenancewindows"], verbs: ["list"] },
    { apiGroups: ["hubrelay.dev"], resources: ["readinessreports"], verbs: ["get"] },
    { apiGroups: ["cluster.open-cluster-management.io"], resources: ["managedclusters"], verbs: ["list"] },
    {
      why: "Targets. Updated to remove the annotation of a retry or a check; listed, because upgrades share clusters and registries.",
      apiGroups: ["ran.openshift.io"],
      resources: ["clustergroupupgrades"],
      verbs: ["get", "list", "update"],
    },
    { apiGroups: ["ran.openshift.io"], resources: ["clustergroupupgrades/status"], verbs: ["update"] },
    {
      apiGroups: ["hubrelay.dev"],
      resources: ["precachingreports"],
      verbs: ["list", "create", "update", "delete"],
    },
    {
      why: "Read before an end is recorded; deleted when their upgrade is gone, or when their content is outdated.",
      apiGroups: ["work.open-cluster-management.io"],
      resources: ["manifestworks"],
      verbs: ["get", "list", "delete"],
    },
  ],
} as const satisfies HubRole;
