import type { Batch, Watches } from "./controller.ts";

/** A rule of a function's ClusterRole, as in Kubernetes, with its reason. */
export type HubRule = Readonly<{
  why?: string;
  apiGroups: readonly string[];
  resources: readonly string[];
  resourceNames?: readonly string[];
  verbs: readonly string[];
}>;

/**
 * Returns a rule: it permits these verbs on these resources of an API group, restricted to the objects `names` if given.
 * Words of a list are separated by spaces; `why` is the reason for the rule.
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

/** The rule of a function that reports on objects in Kubernetes Events and deletes outdated ones. */
export const eventsOnObjects = () =>
  rule("list create update delete", "events", "", {
    why: "An Event is in the namespace of its object, which can be any.",
  });

/** The rules of a function that renders mirror configuration: mirror objects and image policies. */
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

/** The rule of a function that reads MachineConfigs, which also configure how nodes pull images. */
export const machineConfigsOfNodes = () =>
  rule("list", "machineconfigs", "machineconfiguration.openshift.io", {
    why: "Those that write registries.conf, its drop-ins or signature policies. RBAC cannot restrict `list` to these; without this rule they are not read.",
  });

/**
 * The permissions of a function's account on the hub. A function of `manifest.ts`, `hubRole`, returns it: bundlers remove
 * a function without a caller.
 */
export type HubRole = Readonly<{ why: string; rules: readonly HubRule[] }>;

/**
 * What a function is deployed from, in its folder as `manifest.ts`: `serverless.yml`, its worker on Kubernetes, its queue
 * and its permissions are generated from it. After a change, run `npm run generate`.
 */
export type FunctionManifest = Readonly<{
  /** The name of the function's folder. */
  name: string;
  description: string;
  queue: string;
  /** The subject of the messages in its queue, after the words "Queue of". */
  queueHolds: string;
  /** False when only other functions send messages to its queue; by default the forwarder and the resync tick do. */
  isWokenByHub?: boolean;
  batch?: Batch;
  /** The time limit of one batch. The queue hides a message for six times as long. */
  timeoutSeconds: number;
  /** The maximum number of concurrent batches, and the reason for the limit. */
  concurrency: Readonly<{ onLambda: number; pods: number; why: string }>;
  /** The queue length per pod: KEDA starts another pod beyond it. */
  messagesPerPod: number;
  sendsTo?: readonly string[];
  /** Variables of the function on Lambda, each with its parameter of `serverless.yml`. */
  settings?: Readonly<Record<string, string>>;
  /** The meaning of two alarms: messages wait, and messages are retried repeatedly. */
  alarms: Readonly<{ waits: string; retries: string }>;
}>;

/** Returns the part of a function's manifest that its process needs. */
export function servedBy({ name, queue, timeoutSeconds, batch }: FunctionManifest): Omit<Watches, "watches"> {
  return { name, queue, timeoutSeconds, ...(batch && { batch }) };
}
