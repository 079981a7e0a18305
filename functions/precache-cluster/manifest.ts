import { clusterQueue } from "#shared/domain/precache-model/cluster-event.ts";
import { type FunctionManifest, type HubRole, rule } from "#shared/runtime/function-manifest.ts";

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

/** Returns the function's permissions on the hub. */
export const hubRole = (): HubRole => ({
  why: "creates, suspends and deletes the ManifestWorks of clusters as their records say.",
  rules: [
    rule("get list", "clustergroupupgrades", "ran.openshift.io", { why: "Sources." }),
    rule("get", "precachingconfigs", "ran.openshift.io"),
    rule("list", "precachingreports", "hubrelay.dev"),
    rule("list", "managedclusters", "cluster.open-cluster-management.io"),
    rule("get create update delete", "manifestworks", "work.open-cluster-management.io", {
      why: "Targets. A ManifestWork is equivalent to root on its cluster: write-guard-manifestworks.yaml restricts it to what the function creates. Read and updated to suspend and resume Jobs.",
    }),
  ],
});
