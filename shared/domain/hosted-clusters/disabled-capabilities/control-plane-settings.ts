import { fieldsOf, isRecord, isSameJson, listOf, ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { writeYaml } from "../../manifests/manifests.ts";
import {
  type ExpectedSetting,
  expectedSettings,
  ignoresManagementState,
  isAsExpected,
  pullSecretsOff,
  readConfigFile,
  settingAt,
} from "./expected-settings.ts";

/** What decides the settings of a control plane. */
export type SettingsChoice = Readonly<{
  /** The capabilities that the control plane omits, because `spec.capabilities.disabled` names them. */
  disabled: readonly string[];
  /** During an upgrade: the settings of these stay as they are. */
  undecided?: readonly string[];
  /** `spec.platform.type`. */
  platform: string;
  /** Whether the guest's own registry configuration removes the registry; undefined if unknown. */
  isRegistryRemoved: boolean | undefined;
}>;

/**
 * Without the controller for pull secrets while the registry is removed by its own configuration. Behaviour:
 * HyperShift's reconcileRegistryAndIngress.
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
  if (choice.undecided?.includes(setting.capability)) return present;
  const isEnabled = !choice.disabled.includes(setting.capability);
  if (isEnabled && setting.isSharedWhenEnabled) return controllersWithRegistry(present, choice);
  return isAsExpected(file, setting, isEnabled) ? present : isEnabled ? setting.enabled : setting.disabled;
}

/** Undefined removes the field. */
function withValueAt(value: unknown, [field, ...rest]: readonly string[], wanted: unknown): unknown {
  if (field === undefined) return wanted;
  const fields = fieldsOf(value);
  const inner = withValueAt(ownValue(fields, field), rest, wanted);
  const { [field]: _present, ...others } = fields;
  return inner === undefined ? others : { ...fields, [field]: inner };
}

/** Keeps the format of the file (JSON or YAML) and the order of its fields. */
function rewritten(text: string, value: unknown): string {
  return text.trimStart().startsWith("{") ? JSON.stringify(value) : writeYaml(value);
}

/**
 * Returns a ConfigMap of the control plane with the settings that the capabilities require; the same object if
 * nothing changes, if it has no such settings, or if a file is unreadable.
 */
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
