import {
  eventsOnObjects,
  type FunctionManifest,
  type HubRole,
  rule,
} from "#shared/runtime/function-manifest.ts";

export const manifest = {
  name: "hosted-clusters",
  description: "Mirrors, OLM catalogs and capabilities of hosted control planes",
  queue: "hosted-clusters",
  queueHolds: "references to hosted clusters and the mirrors that apply to them",
  // Requests to registries and guests have their own, much shorter timeouts.
  timeoutSeconds: 120,
  concurrency: {
    onLambda: 5,
    pods: 4,
    why: "A resync enqueues every hosted cluster: the most that the hub's API should handle at the same time.",
  },
  messagesPerPod: 20,
  alarms: {
    waits:
      "A change on the hub has waited for 15 minutes: the function does not run, or is slower than the hub changes.",
    retries:
      "A change on the hub is retried repeatedly; see the log's retry and failed entries. After ten attempts its message becomes a dead letter.",
  },
} as const satisfies FunctionManifest;

/** Returns the function's permissions on the hub. */
export const hubRole = (): HubRole => ({
  why: "reads hosted clusters, their control planes and the mirrors that apply to them, creates Events, and writes the fields of a HostedCluster that its owner has delegated. What it needs to write for hosted clusters without HyperShift's operators is in infra/kubernetes/components/own-hosted-clusters.",
  rules: [
    rule("get list", "hostedclusters", "hypershift.openshift.io", { why: "Sources." }),
    rule("get", "hostedcontrolplanes", "hypershift.openshift.io"),
    rule(
      "list",
      "imagedigestmirrorsets imagesourcedigestpolicies imagesourcetagpolicies imagetagmirrorsets",
      "config.openshift.io",
    ),
    rule(
      "list",
      "imagecontentsourcepolicies imagesourcedigestpolicies imagesourcetagpolicies",
      "operator.openshift.io",
    ),
    rule("get", "images", "config.openshift.io", {
      names: "cluster",
      why: "Insecure registries, and the name of the ConfigMap with certificate authorities; an administrator grants access to that ConfigMap (docs/how-to/hosted-cluster-permissions.md).",
    }),
    rule("get", "deployments", "apps", {
      names: "control-plane-operator hosted-cluster-config-operator ignition-server operator",
      why: "Whether HyperShift runs, and the mirror settings of its control planes in three Deployments.",
    }),
    rule("update", "hostedclusters", "hypershift.openshift.io", { why: "Targets." }),
    eventsOnObjects(),
  ],
});
