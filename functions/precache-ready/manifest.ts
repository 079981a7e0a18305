import {
  eventsOnObjects,
  type FunctionManifest,
  type HubRole,
  machineConfigsOfNodes,
  mirrorRules,
  rule,
} from "#shared/runtime/function-manifest.ts";

export const manifest = {
  name: "precache-ready",
  description: "Checks whether mirrors have what ClusterGroupUpgrades pre-cache",
  queue: "precache-ready",
  queueHolds: "references to ClusterGroupUpgrades that require ready images, and to mirror sets",
  // Catalogs need this much time, because they are read layer by layer. All other work takes seconds.
  timeoutSeconds: 300,
  concurrency: {
    onLambda: 2,
    pods: 1,
    why: "Each reconcile covers all upgrades, so that a registry is asked once for an image: more would ask twice.",
  },
  messagesPerPod: 100,
  alarms: {
    waits:
      "The check of images has waited for 15 minutes: the function does not run, or is too slow. Clusters of upgrades that require ready images do not start.",
    retries:
      "The check of images is retried repeatedly; see the log's retry and failed entries. After ten attempts the messages become dead letters.",
  },
} as const satisfies FunctionManifest;

/** Returns the function's permissions on the hub. */
export const hubRole = (): HubRole => ({
  why: "asks registries whether they have what ClusterGroupUpgrades pre-cache, and reports it in ReadinessReports and Events.",
  rules: [
    rule("list", "clustergroupupgrades precachingconfigs", "ran.openshift.io", { why: "Sources." }),
    rule("list", "maintenancewindows", "hubrelay.dev"),
    rule("list", "managedclusters", "cluster.open-cluster-management.io"),
    ...mirrorRules(),
    machineConfigsOfNodes(),
    rule("get", "images proxies", "config.openshift.io", {
      names: "cluster",
      why: "Insecure registries, and the names of the ConfigMaps with certificate authorities; an administrator grants access to these and to the pull secret (docs/how-to/ready-before-the-window.md).",
    }),
    rule("get", "clusterversions", "config.openshift.io", { names: "version" }),
    rule("list create update delete", "readinessreports", "hubrelay.dev", { why: "Targets." }),
    eventsOnObjects(),
  ],
});
