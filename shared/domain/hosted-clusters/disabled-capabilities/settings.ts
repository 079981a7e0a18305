import { fieldsOf, isRecord, isSameJson, listOf, ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { writeYaml } from "../../manifests/manifests.ts";
import { parseYamlDocument } from "../../manifests/yaml-document.ts";

/** A setting that depends on the capability ImageRegistry, in a configuration file of the control plane. */
export type ExpectedSetting = Readonly<{
  configMap: string;
  file: string;
  path: readonly string[];
  /** The value in a cluster with a registry; `disabled` is the value without one. Undefined means absent or empty. */
  enabled: unknown;
  disabled: unknown;
  /** True if other programs may write the setting while the registry is enabled. The setting is then not checked. */
  isSharedWhenEnabled?: boolean;
}>;

const registryHost = "image-registry.openshift-image-registry.svc:5000";

/** This item of openshift-controller-manager's `controllers` turns off the pull secrets of service accounts. */
export const pullSecretsOff = "-openshift.io/serviceaccount-pull-secrets";

/** The platforms on which HyperShift ignores `managementState` of the registry's configuration. */
export const ignoresManagementState: readonly string[] = ["IBMCloud", "Azure"];

/** The settings that depend on ImageRegistry. Source: hypershift v0.1.81, control-plane-operator: ocm, oapi, kas. */
export const expectedSettings: readonly ExpectedSetting[] = [
  {
    configMap: "openshift-controller-manager-config",
    file: "config.yaml",
    path: ["controllers"],
    enabled: undefined,
    disabled: ["*", pullSecretsOff],
    isSharedWhenEnabled: true,
  },
  {
    configMap: "openshift-controller-manager-config",
    file: "config.yaml",
    path: ["dockerPullSecret", "internalRegistryHostname"],
    enabled: registryHost,
    disabled: undefined,
  },
  {
    configMap: "openshift-apiserver",
    file: "config.yaml",
    path: ["imagePolicyConfig", "internalRegistryHostname"],
    enabled: registryHost,
    disabled: undefined,
  },
  {
    configMap: "kas-config",
    file: "config.json",
    path: ["imagePolicyConfig", "internalRegistryHostname"],
    enabled: registryHost,
    disabled: undefined,
  },
];

/** The names of the ConfigMaps in `expectedSettings`. */
export const settingsConfigMaps: readonly string[] = [
  ...new Set(expectedSettings.map(({ configMap }) => configMap)),
];

/** Parses a file in a ConfigMap; undefined if the file is missing or invalid. */
export function readConfigFile(configMap: KubernetesObject | undefined, file: string): unknown {
  const text = ownValue(fieldsOf(configMap?.data), file);
  if (typeof text !== "string") return undefined;
  try {
    return parseYamlDocument(text, { repeatedKeys: "last counts" }).value;
  } catch {
    return undefined; // invalid YAML cannot be checked
  }
}

/** Returns the value at a path of fields; undefined if a field is missing. */
export function settingAt(file: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, field) => ownValue(fieldsOf(value), field), file);
}

const isNothing = (value: unknown) => value === undefined || value === null || value === "";

/** Reports whether the file has the setting's value for a cluster with (`isEnabled`) or without a registry. */
export function isAsExpected(file: unknown, setting: ExpectedSetting, isEnabled: boolean): boolean {
  const found = settingAt(file, setting.path);
  const wanted = isEnabled ? setting.enabled : setting.disabled;
  return isNothing(wanted) ? isNothing(found) : isSameJson(found, wanted);
}

/** What decides the settings of a control plane. */
export type SettingsChoice = Readonly<{
  /** Whether the control plane omits the registry; undefined while an upgrade may change this. */
  isDisabled: boolean | undefined;
  platform: string;
  /** Whether the guest's own registry configuration removes the registry; undefined if unknown. */
  isRegistryRemoved: boolean | undefined;
}>;

/**
 * Returns the controllers `present`: with `pullSecretsOff` if the guest removes its registry, without it if the guest
 * keeps the registry, unchanged if that is unknown or HyperShift ignores it on the platform.
 * Behaviour: HyperShift's reconcileRegistryAndIngress.
 */
function controllersWithRegistry(present: unknown, { platform, isRegistryRemoved }: SettingsChoice): unknown {
  const names = listOf(present);
  const isOff = names.includes(pullSecretsOff);
  const follows = isRegistryRemoved !== undefined && !ignoresManagementState.includes(platform);
  if (!follows || isOff === isRegistryRemoved) return present;
  if (isRegistryRemoved) return names.length === 0 ? ["*", pullSecretsOff] : [...names, pullSecretsOff];
  const others = names.filter((name) => name !== pullSecretsOff);
  return others.length === 0 ? ["*"] : others;
}

function wantedValue(setting: ExpectedSetting, file: unknown, choice: SettingsChoice): unknown {
  const present = settingAt(file, setting.path);
  if (choice.isDisabled === undefined) return present;
  const isEnabled = !choice.isDisabled;
  if (isEnabled && setting.isSharedWhenEnabled) return controllersWithRegistry(present, choice);
  return isAsExpected(file, setting, isEnabled) ? present : isEnabled ? setting.enabled : setting.disabled;
}

function withValueAt(value: unknown, [field, ...rest]: readonly string[], wanted: unknown): unknown {
  if (field === undefined) return wanted;
  const fields = fieldsOf(value);
  const inner = withValueAt(ownValue(fields, field), rest, wanted);
  const { [field]: _present, ...others } = fields;
  return inner === undefined ? others : { ...fields, [field]: inner };
}

function rewritten(text: string, value: unknown): string {
  return text.trimStart().startsWith("{") ? JSON.stringify(value) : writeYaml(value);
}

/** Returns a ConfigMap with the settings that `choice` requires. Returns the same object if no setting changes. */
export function withSettings(configMap: KubernetesObject, choice: SettingsChoice): KubernetesObject {
  const settings = expectedSettings.filter((setting) => setting.configMap === configMap.metadata.name);
  const data = fieldsOf(configMap.data);
  const changed = [...new Set(settings.map(({ file }) => file))].flatMap((file) => {
    const content = readConfigFile(configMap, file);
    const text = ownValue(data, file);
    if (!isRecord(content) || typeof text !== "string") return [];
    const wanted = settings
      .filter((setting) => setting.file === file)
      .reduce<unknown>((value, setting) => {
        const right = wantedValue(setting, value, choice);
        return isSameJson(right, settingAt(value, setting.path))
          ? value
          : withValueAt(value, setting.path, right);
      }, content);
    return isSameJson(wanted, content) ? [] : [[file, rewritten(text, wanted)] as const];
  });
  return changed.length === 0
    ? configMap
    : { ...configMap, data: { ...data, ...Object.fromEntries(changed) } };
}
