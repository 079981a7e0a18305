import type { Batch, Watches } from "./controller.ts";

/** A rule of a function's ClusterRole, as in Kubernetes, with what it is needed for. */
export type HubRule = Readonly<{
  why?: string;
  apiGroups: readonly string[];
  resources: readonly string[];
  resourceNames?: readonly string[];
  verbs: readonly string[];
}>;

/**
 * Returns a rule: it permits these verbs on these resources of an API group, and only on objects with one of `names` if
 * there are some. Words of a list are separated by spaces; `why` is what the rule is for.
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

/** The rule of a function that reports on objects in Kubernetes Events, and removes those that no longer hold. */
export const eventsOnObjects = () =>
  rule("list create update delete", "events", "", {
    why: "An Event is in the namespace of its object, which can be any.",
  });

/** The rules of a function that renders what nodes pull from: mirror objects and image policies. */
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

/** The rule of a function that reads what else configures how nodes pull images. */
export const machineConfigsOfNodes = () =>
  rule("list", "machineconfigs", "machineconfiguration.openshift.io", {
    why: "Those that write registries.conf, its drop-ins or signature policies. RBAC cannot restrict `list` to these; without this rule they are not read.",
  });

/**
 * What a function's account does on the hub, and may do. `hubRole` in `manifest.ts` returns it: what nobody calls is not
 * in the bundle of the function.
 */
export type HubRole = Readonly<{ why: string; rules: readonly HubRule[] }>;

/**
 * What a function is deployed from, in its folder as `manifest.ts`: `serverless.yml`, its worker on Kubernetes, its
 * queue and its permissions follow from it. After a change, `npm run generate`.
 */
export type FunctionManifest = Readonly<{
  /** The name of its folder. */
  name: string;
  description: string;
  queue: string;
  /** What the messages of its queue are, after "Queue of". */
  queueHolds: string;
  /** False where only other functions send the messages of its queue; by default forwarder and resync tick do. */
  isWokenByHub?: boolean;
  /** By default 10 messages. */
  batch?: Batch;
  /** How long one batch may take. The queue hides a message for six times as long. */
  timeoutSeconds: number;
  /** How many batches are handled at the same time at most, and why not more. */
  concurrency: Readonly<{ onLambda: number; pods: number; why: string }>;
  /** The length of the queue for which KEDA starts another pod. */
  messagesPerPod: number;
  /** Queues to which the function sends by their names. */
  sendsTo?: readonly string[];
  /** Variables of the function on Lambda, each with the parameter of `serverless.yml` that it is from. */
  settings?: Readonly<Record<string, string>>;
  /** What two alarms mean: messages wait, messages are retried repeatedly. */
  alarms: Readonly<{ waits: string; retries: string }>;
}>;

/** Returns what of a function's manifest its process needs. */
export function servedBy({ name, queue, timeoutSeconds, batch }: FunctionManifest): Omit<Watches, "watches"> {
  return { name, queue, timeoutSeconds, ...(batch && { batch }) };
}
