import {
  eventsOnObjects,
  type FunctionManifest,
  type HubRole,
  machineConfigsOfNodes,
  mirrorRules,
} from "#shared/runtime/function-manifest.ts";

export const manifest = {
  name: "mirror-config",
  description: "Renders mirror sets and image configuration of the hub to a MachineConfig per pool",
  queue: "mirror-configs",
  queueHolds: "references to mirror sets and image configuration",
  // All of them need the same reads and the same writes: a burst of changes is rendered once.
  batch: { size: 100 },
  timeoutSeconds: 30,
  concurrency: {
    onLambda: 2,
    pods: 4,
    why: "A hub has few objects to write: more would only cause conflicts.",
  },
  messagesPerPod: 100,
  alarms: {
    waits:
      "A change on the hub has waited for 15 minutes: the function does not run, or is slower than the hub changes.",
    retries:
      "A change on the hub is retried repeatedly; see the log's retry and failed entries. After ten attempts its message becomes a dead letter.",
  },
} as const satisfies FunctionManifest;

/** Apart from the manifest: no process needs it. */
export const hubRole = {
  why: "reads mirror configuration, writes a MachineConfig per built-in pool, and reports errors of objects in Events and conditions.",
  rules: [
    ...mirrorRules,
    machineConfigsOfNodes,
    {
      apiGroups: ["machineconfiguration.openshift.io"],
      resources: ["machineconfigpools", "machineosconfigs"],
      verbs: ["list"],
    },
    {
      why: "Up to OpenShift 4.19 nodes are not drained while it exists.",
      apiGroups: [""],
      resources: ["configmaps"],
      resourceNames: ["image-registry-override-drain"],
      verbs: ["get"],
    },
    {
      apiGroups: ["config.openshift.io"],
      resources: ["images", "infrastructures"],
      resourceNames: ["cluster"],
      verbs: ["get"],
    },
    {
      apiGroups: ["config.openshift.io"],
      resources: ["clusterversions"],
      resourceNames: ["version"],
      verbs: ["get"],
    },
    {
      apiGroups: ["operator.openshift.io"],
      resources: ["machineconfigurations"],
      resourceNames: ["cluster"],
      verbs: ["get"],
    },
    { apiGroups: ["hubrelay.dev"], resources: ["maintenancewindows"], verbs: ["list"] },
    {
      why: "Targets. RBAC cannot restrict `create` by name: the name of a new object is not in the request's path.",
      apiGroups: ["machineconfiguration.openshift.io"],
      resources: ["machineconfigs"],
      verbs: ["create"],
    },
    {
      why: "Nothing is ever deleted. An API server that protects owner references, as OpenShift's does, requires `delete` to set the owner reference of a MachineConfig that another client created.",
      apiGroups: ["machineconfiguration.openshift.io"],
      resources: ["machineconfigs"],
      resourceNames: [
        "99-arbiter-generated-registries",
        "99-master-generated-registries",
        "99-worker-generated-registries",
      ],
      verbs: ["get", "update", "delete"],
    },
    {
      apiGroups: ["config.openshift.io"],
      resources: [
        "clusterimagepolicies/status",
        "imagepolicies/status",
        "imagesourcedigestpolicies/status",
        "imagesourcetagpolicies/status",
      ],
      verbs: ["update"],
    },
    {
      apiGroups: ["operator.openshift.io"],
      resources: ["imagesourcedigestpolicies/status", "imagesourcetagpolicies/status"],
      verbs: ["update"],
    },
    eventsOnObjects,
  ],
} as const satisfies HubRole;
