import { feedbackQueue } from "#shared/domain/precache/model/cluster-event.ts";
import type { FunctionManifest, HubRole } from "#shared/runtime/function-manifest.ts";

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

/** Apart from the manifest: no process needs it. */
export const hubRole = {
  why: "reports which windows are open, and enqueues the clusters that start, continue or stop.",
  rules: [
    {
      why: "Sources.",
      apiGroups: ["ran.openshift.io"],
      resources: ["clustergroupupgrades", "precachingconfigs"],
      verbs: ["list"],
    },
    { apiGroups: ["hubrelay.dev"], resources: ["precachingreports"], verbs: ["list"] },
    { apiGroups: ["cluster.open-cluster-management.io"], resources: ["managedclusters"], verbs: ["list"] },
    {
      why: "Events on pools show which changes wait for a window.",
      apiGroups: [""],
      resources: ["events"],
      verbs: ["list"],
    },
    {
      why: "Targets: the status of a window, never its spec.",
      apiGroups: ["hubrelay.dev"],
      resources: ["maintenancewindows"],
      verbs: ["list"],
    },
    { apiGroups: ["hubrelay.dev"], resources: ["maintenancewindows/status"], verbs: ["update"] },
  ],
} as const satisfies HubRole;
