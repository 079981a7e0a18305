import { isRecord } from "../../json/values.ts";
import { isKind } from "../../kubernetes/kinds.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { lookedAt } from "./expected-objects.ts";
import { pullSecretsOff, withoutOlderWay } from "./expected-settings.ts";
import { readConfigFile, settingAt } from "./settings.ts";
import { type CapabilityTraces, findObject, type Trace } from "./trace.ts";

/**
 * True when the registry is removed by its own configuration, the way that was before the capability; undefined where
 * there is no such configuration, or nobody has read it.
 */
export function isRegistryRemoved({ guest }: Pick<CapabilityTraces, "guest">): boolean | undefined {
  const config = guest && findObject(guest, lookedAt.RegistryConfig, "cluster", undefined);
  return config && isRecord(config.spec) && config.spec.managementState === "Removed";
}

const pullSecret = /-dockercfg-[a-z0-9]{5}$/;

function pullSecretsOf({ imagePullSecrets }: KubernetesObject): readonly unknown[] {
  const secrets = Array.isArray(imagePullSecrets) ? imagePullSecrets : [];
  return secrets.filter((secret) => isRecord(secret) && pullSecret.test(String(secret.name)));
}

/** Secrets that the controller for pull secrets gave to service accounts: one finding, whatever their number. */
function pullSecretTraces({ disabled, guest = [] }: CapabilityTraces): readonly Trace[] {
  if (!disabled.includes("ImageRegistry")) return [];
  const accounts = guest
    .filter((object) => isKind(lookedAt.ServiceAccount, object) && pullSecretsOf(object).length > 0)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .sort();
  if (accounts.length === 0) return [];
  const shown = accounts.slice(0, 5).join(", ");
  const more = accounts.length > 5 ? ` and ${accounts.length - 5} more` : "";
  return [
    {
      kind: "leftover",
      capability: "ImageRegistry",
      what: "ServiceAccount imagePullSecrets",
      message: `service accounts have pull secrets of a registry that is disabled: ${shown}${more}`,
      remedy: `Look whether the openshift-controller-manager runs with ${pullSecretsOff}.`,
    },
  ];
}

/** The older way to be without a registry, and whether the controller for pull secrets follows it. */
function olderWayTraces(traces: CapabilityTraces): readonly Trace[] {
  const { platform, controlPlane, controlPlaneNamespace, disabled } = traces;
  if (disabled.includes("ImageRegistry") || !isRegistryRemoved(traces)) return [];
  const name = "openshift-controller-manager-config";
  const object = findObject(controlPlane, lookedAt.ConfigMap, name, controlPlaneNamespace);
  const controllers = settingAt(readConfigFile(object, "config.yaml"), ["controllers"]);
  const isOff = Array.isArray(controllers) && controllers.includes(pullSecretsOff);
  const ofController = isOff
    ? "service accounts get no pull secrets"
    : withoutOlderWay.includes(platform)
      ? `on ${platform} service accounts get pull secrets all the same`
      : "service accounts still get pull secrets";
  return [
    {
      kind: "olderWay",
      capability: "ImageRegistry",
      what: "Config/cluster spec.managementState",
      message: `the registry is removed by its own configuration; its operator runs on, and ${ofController}`,
      remedy: "Disable the capability ImageRegistry when a cluster is created to be without all of it.",
    },
  ];
}

/** A storage bucket or volume that the registry's configuration still names. */
function storageTraces({ disabled, guest }: CapabilityTraces): readonly Trace[] {
  const config = guest && findObject(guest, lookedAt.RegistryConfig, "cluster", undefined);
  const storage = isRecord(config?.status) ? config.status.storage : undefined;
  const names = isRecord(storage) ? Object.keys(storage).filter((name) => name !== "managementState") : [];
  if (!disabled.includes("ImageRegistry") || names.length === 0) return [];
  return [
    {
      kind: "userData",
      capability: "ImageRegistry",
      what: "Config/cluster status.storage",
      message: `the registry's configuration still names storage (${names.sort().join(", ")}), which may hold images`,
      remedy: "Look what is in it; nobody but its owner removes it.",
    },
  ];
}

/** What is left of the registry beside its objects and settings: pull secrets, storage, and the older way to be without. */
export function registryTraces(traces: CapabilityTraces): readonly Trace[] {
  return [...pullSecretTraces(traces), ...olderWayTraces(traces), ...storageTraces(traces)];
}
