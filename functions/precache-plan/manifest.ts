import { eventsOnObjects, type FunctionManifest, type HubRole } from "#shared/runtime/function-manifest.ts";

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

/** Apart from the manifest: no process needs it. */
export const hubRole = {
  why: "plans ClusterGroupUpgrades from their policies, and reports errors in Events.",
  rules: [
    {
      why: "Sources.",
      apiGroups: ["ran.openshift.io"],
      resources: ["clustergroupupgrades"],
      verbs: ["get", "list"],
    },
    { apiGroups: ["ran.openshift.io"], resources: ["precachingconfigs"], verbs: ["get"] },
    {
      apiGroups: ["hubrelay.dev"],
      resources: ["maintenancewindows", "precachingreports"],
      verbs: ["list"],
    },
    { apiGroups: ["policy.open-cluster-management.io"], resources: ["policies"], verbs: ["list"] },
    {
      apiGroups: ["cluster.open-cluster-management.io"],
      resources: ["managedclusters"],
      verbs: ["get", "list"],
    },
    {
      why: "Which clusters an image-based upgrade handles, on a hub with TALM.",
      apiGroups: ["lcm.openshift.io"],
      resources: ["imagebasedgroupupgrades"],
      verbs: ["list"],
    },
    {
      why: "Whether the templates of a rollout exist.",
      apiGroups: ["work.open-cluster-management.io"],
      resources: ["manifestworkreplicasets"],
      verbs: ["get"],
    },
    {
      why: "How many nodes a cluster has, on a hub with RHACM.",
      apiGroups: ["internal.open-cluster-management.io"],
      resources: ["managedclusterinfos"],
      verbs: ["get", "list"],
    },
    {
      apiGroups: ["config.openshift.io"],
      resources: ["clusterversions"],
      resourceNames: ["version"],
      verbs: ["get"],
    },
    {
      apiGroups: [""],
      resources: ["configmaps"],
      resourceNames: ["cluster-group-upgrade-overrides"],
      verbs: ["get"],
    },
    {
      why: "Whether the Topology Aware Lifecycle Manager runs, in any namespace.",
      apiGroups: ["coordination.k8s.io"],
      resources: ["leases"],
      verbs: ["list"],
    },
    {
      why: "Targets. Only an annotation and `enable` of the object: write-guard-upgrades.yaml restricts the account to these.",
      apiGroups: ["ran.openshift.io"],
      resources: ["clustergroupupgrades", "clustergroupupgrades/status"],
      verbs: ["update"],
    },
    eventsOnObjects,
  ],
} as const satisfies HubRole;
