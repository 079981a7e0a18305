import type { Batch, Watches } from "./controller.ts";

/** A rule of a ClusterRole. `why` is the reason for the rule. */
export type HubRule = Readonly<{
  why?: string;
  apiGroups: readonly string[];
  resources: readonly string[];
  resourceNames?: readonly string[];
  verbs: readonly string[];
}>;

/** Returns a rule of a ClusterRole. `verbs`, `resources` and `names` are words separated by spaces. */
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

/** Returns the rule for functions that write Kubernetes Events about objects. */
export const eventsOnObjects = () =>
  rule("list create update delete", "events", "", {
    why: "An Event is in the namespace of its object, which can be any.",
  });

/** Returns the rules for functions that read mirror objects and image policies. */
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

/** Returns the rule for functions that read MachineConfigs, because MachineConfigs can change how nodes pull images. */
export const machineConfigsOfNodes = () =>
  rule("list", "machineconfigs", "machineconfiguration.openshift.io", {
    why: "Those that write registries.conf, its drop-ins or signature policies. RBAC cannot restrict `list` to these; without this rule they are not read.",
  });

/**
 * The permissions of a function's account on the hub. `hubRole` in the function's `manifest.ts` returns them. No
 * process calls `hubRole`, so that bundlers can drop it.
 */
export type HubRole = Readonly<{ why: string; rules: readonly HubRule[] }>;

/** The description of a function. `npm run generate` creates the function's deployment from this description. */
export type FunctionManifest = Readonly<{
  name: string;
  description: string;
  queue: string;
  /** The words that follow "Queue of" in the queue's description. */
  queueHolds: string;
  /** False if only other functions send messages to the queue, and not the forwarder or resync ticks. */
  isWokenByHub?: boolean;
  batch?: Batch;
  /** The time limit of one batch in seconds. The queue hides a received message for six times as long. */
  timeoutSeconds: number;
  concurrency: Readonly<{ onLambda: number; pods: number; why: string }>;
  /** The number of messages per pod above which KEDA starts another pod. */
  messagesPerPod: number;
  sendsTo?: readonly string[];
  /** Settings on Lambda: environment variables, each with the parameter of `serverless.yml` that sets it. */
  settings?: Readonly<Record<string, string>>;
  alarms: Readonly<{ waits: string; retries: string }>;
}>;

/** Returns the part of a manifest that the function's process needs. */
export function servedBy({ name, queue, timeoutSeconds, batch }: FunctionManifest): Omit<Watches, "watches"> {
  return { name, queue, timeoutSeconds, ...(batch && { batch }) };
}
