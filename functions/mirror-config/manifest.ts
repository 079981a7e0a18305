import {
  eventsOnObjects,
  type FunctionManifest,
  type HubRole,
  machineConfigsOfNodes,
  mirrorRules,
  rule,
} from "#shared/runtime/function-manifest.ts";

export const manifest = {
  name: "mirror-config",
  description: "Renders mirror sets and image configuration of the hub to a MachineConfig per pool",
  queue: "mirror-configs",
  queueHolds: "references to mirror sets and image configuration",
  // All events need the same reads and writes. With large batches, a burst of changes is rendered only once.
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

/** Returns the function's permissions on the hub. */
export const hubRole = (): HubRole => ({
  why: "reads mirror configuration, writes a MachineConfig per built-in pool, and reports errors of objects in Events and conditions.",
  rules: [
    ...mirrorRules(),
    machineConfigsOfNodes(),
    rule("list", "machineconfigpools machineosconfigs", "machineconfiguration.openshift.io"),
    rule("get", "configmaps", "", {
      names: "image-registry-override-drain",
      why: "Up to OpenShift 4.19 nodes are not drained while it exists.",
    }),
    rule("get", "featuregates images infrastructures", "config.openshift.io", { names: "cluster" }),
    rule("get", "clusterversions", "config.openshift.io", { names: "version" }),
    rule("get", "machineconfigurations", "operator.openshift.io", { names: "cluster" }),
    rule("list", "maintenancewindows", "hubrelay.dev"),
    rule("create", "machineconfigs", "machineconfiguration.openshift.io", {
      why: "Targets. RBAC cannot restrict `create` by name: the name of a new object is not in the request's path.",
    }),
    rule("get update delete", "machineconfigs", "machineconfiguration.openshift.io", {
      names: "99-arbiter-generated-registries 99-master-generated-registries 99-worker-generated-registries",
      why: "Nothing is ever deleted. An API server that protects owner references, as OpenShift's does, requires `delete` to set the owner reference of a MachineConfig that another client created.",
    }),
    rule(
      "update",
      "clusterimagepolicies/status imagepolicies/status imagesourcedigestpolicies/status imagesourcetagpolicies/status",
      "config.openshift.io",
    ),
    rule("update", "imagesourcedigestpolicies/status imagesourcetagpolicies/status", "operator.openshift.io"),
    eventsOnObjects(),
  ],
});
