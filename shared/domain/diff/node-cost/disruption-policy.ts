import { fieldsOf, isRecord, listOf } from "../../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import type { ClusterReleases } from "../../openshift/releases/cluster-releases.ts";
import { type OperatorForm, operatorForm } from "../../openshift/releases/machine-config-operator.ts";
import type { Cost } from "../../plan/cost.ts";
import { sentence } from "../../text/redact.ts";

/** The ConfigMap that prevents drains for changes of registries.conf. It has an effect only on releases before 4.20. */
export const drainOverride = {
  name: "image-registry-override-drain",
  namespace: "openshift-machine-config-operator",
} as const;

/** The kinds of the objects that put the nodes of a pool in image mode. */
export const imageModeKinds = [kinds.MachineOSConfig, kinds.MachineOSConfigV1alpha1] as const;

/** Reports whether an object is the `drainOverride` ConfigMap. */
export function isDrainOverride(object: KubernetesObject): boolean {
  const { name, namespace } = object.metadata;
  return (
    isKind(kinds.ConfigMap, object) && name === drainOverride.name && namespace === drainOverride.namespace
  );
}

/** Reports whether an object is of one of the `imageModeKinds`. */
export function isMachineOSConfig(object: KubernetesObject): boolean {
  return imageModeKinds.some((kind) => isKind(kind, object));
}

/** Reports whether one of the objects puts the pool in image mode. */
export function isInImageMode(pool: string, objects: readonly KubernetesObject[]): boolean {
  return objects.some(
    (object) => isMachineOSConfig(object) && fieldsOf(fieldsOf(object.spec).machineConfigPool).name === pool,
  );
}

/**
 * Returns whether `drainOverride` has an effect, and whether every change reboots nodes in image mode. During an
 * update, the release with the higher cost counts.
 */
export function releaseEffects({
  current,
  begun,
}: ClusterReleases): Pick<OperatorForm, "readsDrainOverride" | "rebootsImageMode"> {
  const forms = [current, ...begun].map(operatorForm);
  return {
    readsDrainOverride: forms.every(({ readsDrainOverride }) => readsDrainOverride),
    rebootsImageMode: forms.some(({ rebootsImageMode }) => rebootsImageMode),
  };
}

/** One action of a node disruption policy. `service` is the systemd unit to reload or restart. */
export type PolicyAction = Readonly<{
  type: "Reboot" | "Drain" | "Reload" | "Restart" | "DaemonReload" | "Special" | "None";
  service?: string;
}>;

/** The actions on a node when the file at `path`, or a file in this folder, changes. */
export type FilePolicy = Readonly<{ path: string; actions: readonly PolicyAction[] }>;

const reload = (service: string): PolicyAction => ({ type: "Reload", service });
const restart = (service: string): PolicyAction => ({ type: "Restart", service });
const none: PolicyAction = { type: "None" };

const crio = "crio.service";
const kubelet = "kubelet.service";
const trustStore = "coreos-update-ca-trust.service";
const internalRegistry = "iri-registry.service";
const anchors = "/etc/pki/ca-trust/source/anchors";

/**
 * The default policies of machine-config-operator. `Special` reloads CRI-O; for an unsafe change it drains first. As in
 * the operator, no policy covers the drop-in with the search list.
 */
export const defaultFilePolicies: readonly FilePolicy[] = [
  { path: "/etc/containers/registries.conf", actions: [{ type: "Special" }] },
  { path: "/etc/containers/policy.json", actions: [reload(crio)] },
  { path: "/etc/containers/registries.d", actions: [reload(crio)] },
  { path: "/etc/crio/policies", actions: [reload(crio)] },
  { path: "/var/lib/kubelet/config.json", actions: [none] },
  { path: "/etc/machine-config-daemon/no-reboot/containers-gpg.pub", actions: [reload(crio)] },
  { path: "/etc/nmstate/openshift", actions: [none] },
  { path: `${anchors}/openshift-config-user-ca-bundle.crt`, actions: [restart(trustStore), restart(crio)] },
  { path: "/etc/kubernetes/credential-providers", actions: [restart(kubelet)] },
  {
    path: "/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf",
    actions: [{ type: "DaemonReload" }, restart(kubelet)],
  },
  { path: "/etc/iri-registry", actions: [restart(internalRegistry)] },
  { path: "/usr/local/bin/load-registry-image.sh", actions: [restart(internalRegistry)] },
  { path: `${anchors}/iri-root-ca.crt`, actions: [restart(trustStore)] },
];

const plainTypes = ["Reboot", "Drain", "DaemonReload", "Special", "None"] as const;

function readAction(action: unknown): PolicyAction {
  const fields = fieldsOf(action);
  const serviceOf = (field: unknown): string =>
    isRecord(field) && typeof field.serviceName === "string" ? field.serviceName : "a service";
  if (fields.type === "Reload") return reload(serviceOf(fields.reload));
  if (fields.type === "Restart") return restart(serviceOf(fields.restart));
  return { type: plainTypes.find((type) => type === fields.type) ?? "Reboot" };
}

function readPolicies(policies: unknown): readonly FilePolicy[] {
  const files = listOf(fieldsOf(policies).files);
  return files.flatMap((file: unknown): FilePolicy[] => {
    if (!isRecord(file) || typeof file.path !== "string") return [];
    const actions: readonly unknown[] = listOf(file.actions);
    return [{ path: file.path, actions: actions.map(readAction) }];
  });
}

function overrideDefaults(own: readonly FilePolicy[]): readonly FilePolicy[] {
  const added = own.filter(({ path }) => !defaultFilePolicies.some((policy) => policy.path === path));
  const replaced = defaultFilePolicies.map(
    (policy) => own.find(({ path }) => path === policy.path) ?? policy,
  );
  return [...replaced, ...added];
}

/**
 * Returns the file policies in effect; without the object, the defaults. If the status is missing or older than the
 * spec, policies of the spec replace the defaults of the same path.
 */
export function filePoliciesOf(machineConfiguration: KubernetesObject | undefined): readonly FilePolicy[] {
  if (!machineConfiguration) return defaultFilePolicies;
  const { metadata, spec, status } = machineConfiguration;
  const policyStatus = fieldsOf(status).nodeDisruptionPolicyStatus;
  const inForce = fieldsOf(policyStatus).clusterPolicies;
  const observed = fieldsOf(status).observedGeneration;
  const isCurrent = metadata.generation === undefined || metadata.generation === observed;
  if (isRecord(inForce) && isCurrent) return readPolicies(inForce);
  return overrideDefaults(readPolicies(fieldsOf(spec).nodeDisruptionPolicy));
}

/** The path `/` covers no file. Source: machine-config-operator release-5.1, pkg/controller/common/helpers.go:1258. */
function covers(policyPath: string, path: string): boolean {
  const folder = policyPath.replace(/(?<!\/)\/+$/, "") || "/";
  return path === policyPath || path.startsWith(`${folder}/`);
}

/** Returns the policy with the longest path that covers the file. */
export function findFilePolicy(policies: readonly FilePolicy[], path: string): FilePolicy | undefined {
  let best: FilePolicy | undefined;
  for (const policy of policies) {
    if (covers(policy.path, path) && policy.path.length > (best?.path.length ?? 0)) best = policy;
  }
  return best;
}

/** Formats an action for people, such as `reload crio.service`. */
export function actionText({ type, service }: PolicyAction): string {
  switch (type) {
    case "Reload":
      return sentence`reload ${service}`;
    case "Restart":
      return sentence`restart ${service}`;
    case "DaemonReload":
      return "daemon-reload";
    case "Special":
      return `reload ${crio}`;
    default:
      return type.toLowerCase();
  }
}

function has(actions: readonly PolicyAction[], type: PolicyAction["type"]): boolean {
  return actions.some((action) => action.type === type);
}

function serviceActions(actions: readonly PolicyAction[]): readonly PolicyAction[] {
  return actions.filter(({ type }) => type !== "None" && type !== "Drain");
}

/**
 * Returns the cost of actions. For an unsafe change, `Special` drains the node. A single-node control plane is never
 * drained: draining its only node would never end.
 */
export function costOfActions(
  actions: readonly PolicyAction[],
  { isSafe, isSingleNode }: Readonly<{ isSafe: boolean; isSingleNode: boolean }>,
): Cost {
  if (has(actions, "Reboot")) return "reboot";
  const drains = has(actions, "Drain") || (has(actions, "Special") && !isSafe);
  if (drains && !isSingleNode) return "drain";
  return serviceActions(actions).length > 0 ? "reload" : "none";
}

/** Returns what each node does, in order. A drain comes first. A reboot replaces all actions on services. */
export function stepsOf(
  cost: Cost,
  actions: readonly PolicyAction[],
  isSingleNode: boolean,
): readonly string[] {
  if (cost === "reboot") return isSingleNode ? ["reboot"] : ["drain", "reboot"];
  const services = serviceActions(actions).map(actionText);
  return [...new Set([...(cost === "drain" ? ["drain"] : []), ...services])];
}

/** Formats a policy as a sentence. */
export function policySentence({ path, actions }: FilePolicy): string {
  const asked = actions.filter(({ type }) => type !== "None").map(actionText);
  const what =
    asked.length > 0 ? asked.join(", ") : "nothing: the file is written and no service is notified";
  return sentence`The node disruption policy for ${path} asks for ${what}.`;
}
