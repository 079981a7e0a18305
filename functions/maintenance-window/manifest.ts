import { feedbackQueue } from "#shared/domain/precache-model/cluster-event.ts";
import { type FunctionManifest, type HubRole, rule } from "#shared/runtime/function-manifest.ts";

export const manifest = {
  name: "maintenance-window",
  description: "Opens and closes maintenance windows, and enqueues the affected upgrades",
  queue: "maintenance-windows",
  queueHolds: "references to MaintenanceWindows",
  timeoutSeconds: 60,
  concurrency: {
    onLambda: 2,
    pods: 2,
    why: "Each reconcile covers all windows: more would only cause conflicts.",
  },
  messagesPerPod: 100,
  sendsTo: [feedbackQueue],
  alarms: {
    waits:
      "A maintenance window has waited for 15 minutes for its reconcile: the function does not run, or is too slow.",
    retries:
      "The reconcile of maintenance windows is retried repeatedly; see the log's retry and failed entries. After ten attempts the messages become dead letters.",
  },
} as const satisfies FunctionManifest;

/** Returns the function's permissions on the hub. */
export const hubRole = (): HubRole => ({
  why: "reports which windows are open, and enqueues the clusters that start, continue or stop.",
  rules: [
    rule("list", "clustergroupupgrades precachingconfigs", "ran.openshift.io", { why: "Sources." }),
    rule("list", "precachingreports", "hubrelay.dev"),
    rule("list", "managedclusters", "cluster.open-cluster-management.io"),
    rule("list", "events", "", { why: "Events on pools show which changes wait for a window." }),
    rule("list", "maintenancewindows", "hubrelay.dev", {
      why: "Targets: the status of a window, never its spec.",
    }),
    rule("update", "maintenancewindows/status", "hubrelay.dev"),
  ],
});
