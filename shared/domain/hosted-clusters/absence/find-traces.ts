import { isKind, type Kind } from "../../kubernetes/kinds.ts";
import { displayName, type KubernetesObject } from "../../kubernetes/object.ts";
import { isRecord } from "../../mirrors/fields.ts";
import { type ExpectedObject, expectedObjects, lookedAt, type Where } from "./expected-objects.ts";
import {
  type ExpectedSetting,
  expectedSettings,
  pullSecretsOff,
  settingsConfigMaps,
  withoutOlderWay,
} from "./expected-settings.ts";
import { guardedConfigPolicy, guardsIngresses } from "./ingress-rule.ts";
import { lacksRouter, othersInBundle, rootBundle, routerAuthority } from "./root-bundle.ts";
import { isAsExpected, readConfigFile, settingAt } from "./settings.ts";

/** What is known of a hosted cluster when its capabilities are looked after. */
export type CapabilityTraces = Readonly<{
  /** `spec.capabilities.disabled`: nothing else decides. */
  disabled: readonly string[];
  /** `spec.platform.type`. */
  platform: string;
  controlPlaneNamespace: string;
  /** Of the control plane's namespace: what `placesToLook` names, as far as it is there. */
  controlPlane: readonly KubernetesObject[];
  /** The same of the guest, with its ServiceAccounts; undefined when it was not read. */
  guest: readonly KubernetesObject[] | undefined;
  /** What could not be read, by permissions for instance: it is not known whether it is there. */
  unread?: readonly Place[];
}>;

/** Something that is there without its capability, or missing with it. */
export type Trace = Readonly<{
  /** `olderWay`: the registry is removed by its own configuration instead of the capability. */
  kind: "leftover" | "missing" | "userData" | "olderWay";
  capability: string;
  /** `Kind/namespace/name`, with `file: field` for a setting. */
  what: string;
  message: string;
  remedy: string;
}>;

/** An object to look for. */
export type Place = Readonly<{ where: Where; kind: Kind; namespace?: string; name: string }>;

const isOn = (platform: string, { platforms }: ExpectedObject) => platforms?.includes(platform) ?? true;

/** Which of the places are asked for. */
export type PlacesChoice = Readonly<{
  /** The capabilities; every one else. */
  isAskedFor?: (capability: string) => boolean;
  /** Those alone that tell what is missing: enough where nothing is disabled. */
  isAboutMissing?: boolean;
}>;

/** Not required by itself; the bundle of authorities is judged by it. */
const isRouterAuthority = ({ where, name }: ExpectedObject) =>
  where === "controlPlane" && name === routerAuthority;

/**
 * What has to be read to tell the traces of a cluster on this platform. The guest's ServiceAccounts tell more, and are
 * not among them.
 */
export function placesToLook(
  { platform, controlPlaneNamespace }: Pick<CapabilityTraces, "platform" | "controlPlaneNamespace">,
  { isAskedFor = () => true, isAboutMissing = false }: PlacesChoice = {},
): readonly Place[] {
  const objects = expectedObjects
    .filter((expected) => isAskedFor(expected.capability) && isOn(platform, expected))
    .filter((expected) => !isAboutMissing || expected.isRequired || isRouterAuthority(expected))
    .map(({ where, kind, namespace, name }): Place => {
      const within = where === "controlPlane" ? controlPlaneNamespace : namespace;
      return { where, kind, name, ...(within ? { namespace: within } : {}) };
    });
  const configs = [...settingsConfigMaps(isAskedFor), ...(isAskedFor("Ingress") ? [rootBundle] : [])];
  return [
    ...objects,
    ...configs.map(
      (name): Place => ({
        where: "controlPlane",
        kind: lookedAt.ConfigMap,
        namespace: controlPlaneNamespace,
        name,
      }),
    ),
    ...(isAskedFor("Ingress")
      ? [{ where: "guest", kind: lookedAt.ValidatingAdmissionPolicy, name: guardedConfigPolicy } as const]
      : []),
  ];
}

function find(
  objects: readonly KubernetesObject[],
  kind: Kind,
  name: string,
  namespace: string | undefined,
): KubernetesObject | undefined {
  return objects.find(
    (object) =>
      isKind(kind, object) &&
      object.metadata.name === name &&
      (!kind.namespaced || object.metadata.namespace === namespace),
  );
}

const places = { controlPlane: "in the control plane", guest: "in the guest" } as const;

function leftover(expected: ExpectedObject, what: string, platform: string): Trace {
  const { capability, where, forgottenOn, isUserData } = expected;
  if (isUserData)
    return {
      kind: "userData",
      capability,
      what,
      message: `${what} is still ${places[where]} though ${capability} is disabled: it may hold data of the cluster's users`,
      remedy: "Look what is in it; nobody but its owner removes it.",
    };
  const isForgotten = forgottenOn?.includes(platform) ?? false;
  return {
    kind: "leftover",
    capability,
    what,
    message: `${what} is ${places[where]} though ${capability} is disabled`,
    remedy: isForgotten
      ? `HyperShift writes it on ${platform} whatever the capability says; removing it does not last.`
      : "Find out who made it, and remove it when nobody uses it.",
  };
}

function traceOfObject(expected: ExpectedObject, traces: CapabilityTraces): readonly Trace[] {
  const { capability, where, kind, name, isRequired } = expected;
  const objects = traces[where];
  if (!objects || !isOn(traces.platform, expected)) return [];
  const namespace = where === "controlPlane" ? traces.controlPlaneNamespace : expected.namespace;
  const found = find(objects, kind, name, namespace);
  const what = displayName({ kind: kind.kind, name, ...(namespace ? { namespace } : {}) });
  const isDisabled = traces.disabled.includes(capability);
  if (isDisabled) return found ? [leftover(expected, what, traces.platform)] : [];
  const isUnread = traces.unread?.some(
    (place) => place.where === where && place.kind.kind === kind.kind && place.name === name,
  );
  if (found || !isRequired || isUnread) return [];
  return [
    {
      kind: "missing",
      capability,
      what,
      message: `${what} is not ${places[where]} though ${capability} is enabled`,
      remedy: "Look at the operator that makes it; a young cluster may not have it yet.",
    },
  ];
}

/**
 * True when the registry is removed by its own configuration, the way that was before the capability; undefined where
 * there is no such configuration, or nobody has read it.
 */
export function isRegistryRemoved({ guest }: Pick<CapabilityTraces, "guest">): boolean | undefined {
  const config = guest && find(guest, lookedAt.RegistryConfig, "cluster", undefined);
  return config && isRecord(config.spec) && config.spec.managementState === "Removed";
}

function traceOfSetting(setting: ExpectedSetting, traces: CapabilityTraces): readonly Trace[] {
  const { capability, configMap, file, path, isOthersToo } = setting;
  const isEnabled = !traces.disabled.includes(capability);
  if (isEnabled && isOthersToo) return [];
  const object = find(traces.controlPlane, lookedAt.ConfigMap, configMap, traces.controlPlaneNamespace);
  const content = readConfigFile(object, file);
  if (content === undefined || isAsExpected(content, setting, isEnabled)) return [];
  const what = `ConfigMap/${traces.controlPlaneNamespace}/${configMap} ${file}: ${path.join(".")}`;
  const found = JSON.stringify(settingAt(content, path) ?? "");
  const wanted = JSON.stringify((isEnabled ? setting.enabled : setting.disabled) ?? "");
  return [
    {
      kind: isEnabled ? "missing" : "leftover",
      capability,
      what,
      message: `${what} is ${found} and should be ${wanted}, since ${capability} is ${isEnabled ? "enabled" : "disabled"}`,
      remedy: "The control-plane operator writes it; look at its log.",
    },
  ];
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
  const object = find(controlPlane, lookedAt.ConfigMap, name, controlPlaneNamespace);
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
  const config = guest && find(guest, lookedAt.RegistryConfig, "cluster", undefined);
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

/** Whether the guest's users may change what the HostedCluster decides about Ingress. */
function guardTraces({ disabled, guest }: CapabilityTraces): readonly Trace[] {
  const policy = guest && find(guest, lookedAt.ValidatingAdmissionPolicy, guardedConfigPolicy, undefined);
  const isGuarded = policy && guardsIngresses(policy);
  const isEnabled = !disabled.includes("Ingress");
  if (isGuarded === undefined || isGuarded === isEnabled) return [];
  const what = `ValidatingAdmissionPolicy/${guardedConfigPolicy} ingresses`;
  return [
    {
      kind: isEnabled ? "missing" : "leftover",
      capability: "Ingress",
      what,
      message: isEnabled
        ? "the guest's admission policy config does not guard ingresses, though Ingress is enabled"
        : "the guest's admission policy config guards ingresses, though Ingress is disabled",
      remedy: "The hosted-cluster-config operator writes it; look at its log.",
    },
  ];
}

/** Whether the control plane trusts the guest's default router as it should, or should not. */
function bundleTraces({ disabled, controlPlane, controlPlaneNamespace }: CapabilityTraces): readonly Trace[] {
  const configMap = (name: string) => find(controlPlane, lookedAt.ConfigMap, name, controlPlaneNamespace);
  const bundle = configMap(rootBundle);
  const others = othersInBundle(bundle);
  const isEnabled = !disabled.includes("Ingress");
  if (isEnabled ? !lacksRouter(bundle, configMap(routerAuthority)) : others === 0) return [];
  const what = `ConfigMap/${controlPlaneNamespace}/${rootBundle} ca.crt`;
  return [
    {
      kind: isEnabled ? "missing" : "leftover",
      capability: "Ingress",
      what,
      message: isEnabled
        ? `${what} lacks the authority of the default router, which ConfigMap/${controlPlaneNamespace}/${routerAuthority} has`
        : `${what} trusts more than the control plane's own authority (${others} more), though Ingress is disabled`,
      remedy: "The control-plane operator writes it; look at its log.",
    },
  ];
}

/**
 * What is there of disabled capabilities, and what is missing of enabled ones. Without the guest only the control
 * plane is judged. The registry that its own configuration removes is told as such.
 */
export function findTraces(traces: CapabilityTraces): readonly Trace[] {
  return [
    ...expectedObjects.flatMap((expected) => traceOfObject(expected, traces)),
    ...expectedSettings.flatMap((setting) => traceOfSetting(setting, traces)),
    ...guardTraces(traces),
    ...bundleTraces(traces),
    ...pullSecretTraces(traces),
    ...olderWayTraces(traces),
    ...storageTraces(traces),
  ];
}
