import { fieldsOf, objectsOf, someOf } from "../../kubernetes/json/values.ts";
import { isKind, type KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { traceKinds } from "./expected-objects.ts";
import { ignoresManagementState, pullSecretsOff, readConfigFile, settingAt } from "./expected-settings.ts";
import { type CapabilityTraces, findObject, type Trace } from "./trace.ts";

/**
 * Returns true if the registry is removed by its own configuration, the method from before the capability;
 * undefined if that configuration does not exist or was not read.
 */
export function isRegistryRemoved({ guest }: Pick<CapabilityTraces, "guest">): boolean | undefined {
  const config = guest && findObject(guest, traceKinds.RegistryConfig, "cluster", undefined);
  return config && fieldsOf(config.spec).managementState === "Removed";
}

const pullSecret = /-dockercfg-[a-z0-9]{5}$/;

function pullSecretsOf({ imagePullSecrets }: KubernetesObject): readonly unknown[] {
  return objectsOf(imagePullSecrets).filter(({ name }) => pullSecret.test(String(name)));
}

/** One finding, regardless of the number of service accounts with pull secrets. */
function pullSecretTraces({ disabled, guest = [] }: CapabilityTraces): readonly Trace[] {
  if (!disabled.includes("ImageRegistry")) return [];
  const accounts = guest
    .filter((object) => isKind(traceKinds.ServiceAccount, object) && pullSecretsOf(object).length > 0)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .sort();
  if (accounts.length === 0) return [];
  return [
    {
      kind: "leftover",
      capability: "ImageRegistry",
      what: "ServiceAccount imagePullSecrets",
      message: sentence`service accounts have pull secrets of a registry that is disabled: ${someOf(accounts)}`,
      remedy: `Check whether the openshift-controller-manager runs with ${pullSecretsOff}.`,
    },
  ];
}

/** Reports a registry that its own configuration removes, and whether the controller for pull secrets follows. */
function removedByConfigTraces(traces: CapabilityTraces): readonly Trace[] {
  const { platform, controlPlane, controlPlaneNamespace, disabled } = traces;
  if (disabled.includes("ImageRegistry") || !isRegistryRemoved(traces)) return [];
  const name = "openshift-controller-manager-config";
  const object = findObject(controlPlane, traceKinds.ConfigMap, name, controlPlaneNamespace);
  const controllers = settingAt(readConfigFile(object, "config.yaml"), ["controllers"]);
  const isOff = Array.isArray(controllers) && controllers.includes(pullSecretsOff);
  const ofController = isOff
    ? "service accounts get no pull secrets"
    : ignoresManagementState.includes(platform)
      ? sentence`on ${platform} service accounts get pull secrets anyway`
      : "service accounts still get pull secrets";
  return [
    {
      kind: "removedByConfig",
      capability: "ImageRegistry",
      what: "Config/cluster spec.managementState",
      message: sentence`the registry is removed by its own configuration; its operator keeps running, and ${ofController}`,
      remedy: "Disable the capability ImageRegistry when you create a cluster, to omit all of it.",
    },
  ];
}

function storageTraces({ disabled, guest }: CapabilityTraces): readonly Trace[] {
  const config = guest && findObject(guest, traceKinds.RegistryConfig, "cluster", undefined);
  const { storage } = fieldsOf(config?.status);
  const names = Object.keys(fieldsOf(storage)).filter((name) => name !== "managementState");
  if (!disabled.includes("ImageRegistry") || names.length === 0) return [];
  return [
    {
      kind: "userData",
      capability: "ImageRegistry",
      what: "Config/cluster status.storage",
      message: sentence`the registry's configuration still names storage (${names.sort().join(", ")}), which may contain images`,
      remedy: "Check its contents; only its owner should remove it.",
    },
  ];
}

/** Returns the registry's traces besides objects and settings: pull secrets, storage, removal by configuration. */
export function registryTraces(traces: CapabilityTraces): readonly Trace[] {
  return [...pullSecretTraces(traces), ...removedByConfigTraces(traces), ...storageTraces(traces)];
}
