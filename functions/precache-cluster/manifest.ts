import { clusterQueue } from "#shared/domain/precache/model/cluster-event.ts";
import type { FunctionManifest, HubRole } from "#shared/runtime/function-manifest.ts";

export const manifest = {
  name: "precache-cluster",
  description: "Makes the ManifestWorks of clusters match their records",
  queue: clusterQueue,
  queueHolds: "planned clusters to start",
  isWokenByHub: false,
  batch: { size: 500, windowSeconds: 1 },
  timeoutSeconds: 60,
  concurrency: {
    onLambda: 4,
    pods: 4,
    why: "Each cluster has its own objects, so several can be started at the same time.",
  },
  messagesPerPod: 200,
  settings: { HUBRELAY_PRECACHE_PROFILE: "precacheProfile", HUBRELAY_WORKLOAD_IMAGE: "workloadImage" },
  alarms: {
    waits:
      "A planned cluster has waited for 15 minutes for its start: the function does not run, or is too slow.",
    retries:
      "Starts of clusters are retried repeatedly; see the log's retry and failed entries. After ten attempts their messages become dead letters.",
  },
} as const satisfies FunctionManifest;

/** Apart from the manifest: no process needs it. */
export const hubRole = {
  why: "creates, suspends and deletes the ManifestWorks of clusters as their records say.",
  rules: [
    {
      why: "Sources.",
      apiGroups: ["ran.openshift.io"],
      resources: ["clustergroupupgrades"],
      verbs: ["get", "list"],
    },
    { apiGroups: ["ran.openshift.io"], resources: ["precachingconfigs"], verbs: ["get"] },
    { apiGroups: ["hubrelay.dev"], resources: ["precachingreports"], verbs: ["list"] },
    { apiGroups: ["cluster.open-cluster-management.io"], resources: ["managedclusters"], verbs: ["list"] },
    {
      why: "Targets. A ManifestWork is equivalent to root on its cluster: write-guard-precaching.yaml restricts it to what the function creates. Read and updated to suspend and resume Jobs.",
      apiGroups: ["work.open-cluster-management.io"],
      resources: ["manifestworks"],
      verbs: ["get", "create", "update", "delete"],
    },
  ],
} as const satisfies HubRole;
