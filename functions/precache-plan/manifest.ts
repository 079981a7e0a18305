import {
  eventsOnObjects,
  type FunctionManifest,
  type HubRole,
  rule,
} from "#shared/runtime/function-manifest.ts";

export const manifest = {
  name: "precache-plan",
  description: "Plans which images ClusterGroupUpgrades pre-cache on which clusters",
  queue: "precache-plans",
  queueHolds: "references to ClusterGroupUpgrades and PreCachingConfigs",
  timeoutSeconds: 60,
  concurrency: {
    onLambda: 2,
    pods: 2,
    why: "A hub has few objects to plan: more would only cause conflicts.",
  },
  messagesPerPod: 20,
  settings: {
    HUBRELAY_PRECACHE_PROFILE: "precacheProfile",
    HUBRELAY_HUB_VERSION: "hubVersion",
    HUBRELAY_INDEX_REPOSITORIES: "indexRepositories",
    HUBRELAY_WORKLOAD_IMAGE: "workloadImage",
  },
  alarms: {
    waits:
      "A changed ClusterGroupUpgrade has waited for 15 minutes for its plan: the function does not run, or is too slow.",
    retries:
      "Planning of a ClusterGroupUpgrade is retried repeatedly; see the log's retry and failed entries. After ten attempts its message becomes a dead letter.",
  },
} as const satisfies FunctionManifest;

/** Returns the function's permissions on the hub. */
export const hubRole = (): HubRole => ({
  why: "plans ClusterGroupUpgrades from their policies, and reports errors in Events.",
  rules: [
    rule("get list", "clustergroupupgrades", "ran.openshift.io", { why: "Sources." }),
    rule("get", "precachingconfigs", "ran.openshift.io"),
    rule("list", "maintenancewindows precachingreports", "hubrelay.dev"),
    rule("list", "policies", "policy.open-cluster-management.io"),
    rule("get list", "managedclusters", "cluster.open-cluster-management.io"),
    rule("list", "imagebasedgroupupgrades", "lcm.openshift.io", {
      why: "Which clusters an image-based upgrade handles, on a hub with TALM.",
    }),
    rule("get list", "managedclusterinfos", "internal.open-cluster-management.io", {
      why: "How many nodes a cluster has, on a hub with RHACM.",
    }),
    rule("get", "clusterversions", "config.openshift.io", { names: "version" }),
    rule("get", "configmaps", "", { names: "cluster-group-upgrade-overrides" }),
    rule("list", "leases", "coordination.k8s.io", {
      why: "Whether the Topology Aware Lifecycle Manager runs, in any namespace.",
    }),
    rule("update", "clustergroupupgrades clustergroupupgrades/status", "ran.openshift.io", {
      why: "Targets. Only an annotation and `enable` of the object: write-guard.yaml and write-guard-values.yaml restrict the account to these.",
    }),
    eventsOnObjects(),
  ],
});
