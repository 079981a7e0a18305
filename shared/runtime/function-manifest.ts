import type { Batch, Watches } from "./controller.ts";

/** A rule of a function's ClusterRole, as in Kubernetes, and the reason for the rule. */
export type HubRule = Readonly<{
  why?: string;
  apiGroups: readonly string[];
  resources: readonly string[];
  resourceNames?: readonly string[];
  verbs: readonly string[];
}>;

/**
 * Returns a rule that permits these verbs on these resources of an API group; with `names`, only on the objects with
 * these names. Lists are words separated by spaces; `why` is the reason for the rule.
 */
export function rule(
  verbs: string,
  resources: string,
  apiGroup: string,
  { names, why }: Readonly<{ names?: string; why?: string }> = {},
): HubRule {
  return {
    ...(why && { why }),
    apiGroups: [apiGroup],
    resources: resources.split(" "),
    ...(names && { resourceNames: names.split(" ") }),
    verbs: verbs.split(" "),
  };
}

/** Returns the rule for functions that create Kubernetes Events about objects, and delete outdated ones. */
export const eventsOnObjects = () =>
  rule("list create update delete", "events", "", {
    why: "An Event is in the namespace of its object, which can be any.",
  });

/** Returns the rules for functions that render mirror configuration: they read mirror objects and image policies. */
export const mirrorRules = (): readonly HubRule[] => [
  rule(
    "list",
    "clusterimagepolicies imagedigestmirrorsets imagepolicies imagesourcedigestpolicies imagesourcetagpolicies imagetagmirrorsets",
    "config.openshift.io",
    { why: "Mirrors and image policies." },
  ),
  rule(
    "list",
    "imagecontentsourcepolicies imagesourcedigestpolicies imagesourcetagpolicies",
    "operator.openshift.io",
  ),
];

/** Returns the rule for functions that read MachineConfigs, since these also configure how nodes pull images. */
export const machineConfigsOfNodes = () =>
  rule("list", "machineconfigs", "machineconfiguration.openshift.io", {
    why: "Those that write registries.conf, its drop-ins or signature policies. RBAC cannot restrict `list` to these; without this rule they are not read.",
  });

/**
 * The permissions of a function's account on the hub. Each `manifest.ts` exports a function `hubRole` that returns the
 * permissions. No process calls `hubRole`, so that bundlers can drop it.
 */
export type HubRole = Readonly<{ why: string; rules: readonly HubRule[] }>;

/**
 * The manifest of a function, in `manifest.ts` in its folder. `npm run generate` creates the function's deployment from
 * the manifest: a part of `serverless.yml`, a worker on Kubernetes, a queue and permissions.
 */
export type FunctionManifest = Readonly<{
  /** The name of the function's folder. */
  name: string;
  description: string;
  queue: string;
  /** What the messages in the queue are: the words that follow "Queue of" in the queue's description. */
  queueHolds: string;
  /** False if only other functions send messages to the queue; by default the forwarder and resync ticks send them. */
  isWokenByHub?: boolean;
  batch?: Batch;
  /** The time limit of one batch in seconds. The queue hides a received message for six times as long. */
  timeoutSeconds: number;
  /** The limits for concurrent batches on Lambda and for pods on Kubernetes, and the reason for these limits. */
  concurrency: Readonly<{ onLambda: number; pods: number; why: string }>;
  /** The number of messages per pod above which KEDA starts another pod. */
  messagesPerPod: number;
  sendsTo?: readonly string[];
  /** Settings on Lambda: the key is an environment variable, the value the parameter of `serverless.yml` that sets it. */
  settings?: Readonly<Record<string, string>>;
  /** The descriptions of two alarms: `waits` for messages that wait long, `retries` for messages that keep failing. */
  alarms: Readonly<{ waits: string; retries: string }>;
}>;

/** Returns the part of a function's manifest that its process needs. */
export function servedBy({ name, queue, timeoutSeconds, batch }: FunctionManifest): Omit<Watches, "watches"> {
  return { name, queue, timeoutSeconds, ...(batch && { batch }) };
}
