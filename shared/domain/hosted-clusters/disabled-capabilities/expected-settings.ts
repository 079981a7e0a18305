import { fieldsOf, isSameJson, ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { parseYamlDocument } from "../../manifests/yaml-document.ts";

/** A setting in a configuration file of the control plane that depends on a capability. */
export type ExpectedSetting = Readonly<{
  capability: string;
  /** In the control plane's namespace. */
  configMap: string;
  /** The file in the ConfigMap. */
  file: string;
  /** The path of fields in the file. */
  path: readonly string[];
  /** The values with and without the capability; undefined means absent, which equals an empty text. */
  enabled: unknown;
  disabled: unknown;
  /** Others may write it if the capability is enabled: then it is not checked. */
  isSharedWhenEnabled?: boolean;
}>;

const registryHost = "image-registry.openshift-image-registry.svc:5000";

/** Disables the controller that gives pull secrets to service accounts. */
export const pullSecretsOff = "-openshift.io/serviceaccount-pull-secrets";

/** On these platforms HyperShift ignores `managementState` in the registry's own configuration. */
export const ignoresManagementState: readonly string[] = ["IBMCloud", "Azure"];

/** Source: github.com/openshift/hypershift v0.1.81, packages ocm, oapi and kas of the control-plane operator. */
export const expectedSettings: readonly ExpectedSetting[] = [
  {
    capability: "ImageRegistry",
    configMap: "openshift-controller-manager-config",
    file: "config.yaml",
    path: ["controllers"],
    enabled: undefined,
    disabled: ["*", pullSecretsOff],
    isSharedWhenEnabled: true,
  },
  {
    capability: "ImageRegistry",
    configMap: "openshift-controller-manager-config",
    file: "config.yaml",
    path: ["dockerPullSecret", "internalRegistryHostname"],
    enabled: registryHost,
    disabled: undefined,
  },
  {
    capability: "ImageRegistry",
    configMap: "openshift-apiserver",
    file: "config.yaml",
    path: ["imagePolicyConfig", "internalRegistryHostname"],
    enabled: registryHost,
    disabled: undefined,
  },
  {
    capability: "ImageRegistry",
    configMap: "kas-config",
    file: "config.json",
    path: ["imagePolicyConfig", "internalRegistryHostname"],
    enabled: registryHost,
    disabled: undefined,
  },
];

/** Returns the ConfigMaps of a control plane that hold settings of the selected capabilities. */
export function settingsConfigMaps(
  isSelected: (capability: string) => boolean = () => true,
): readonly string[] {
  const settings = expectedSettings.filter(({ capability }) => isSelected(capability));
  return [...new Set(settings.map(({ configMap }) => configMap))];
}

/** Returns a file of a ConfigMap as a value; undefined if it is missing or unreadable. */
export function readConfigFile(configMap: KubernetesObject | undefined, file: string): unknown {
  const text = ownValue(fieldsOf(configMap?.data), file);
  if (typeof text !== "string") return undefined;
  try {
    return parseYamlDocument(text, { repeatedKeys: "last counts" }).value;
  } catch {
    return undefined; // invalid YAML cannot be checked
  }
}

/** Returns the value at a path of fields; undefined if one of them is missing. */
export function settingAt(file: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, field) => ownValue(fieldsOf(value), field), file);
}

const isNothing = (value: unknown) => value === undefined || value === null || value === "";

/** Returns true if the file has the expected value, with the capability or without it. */
export function isAsExpected(file: unknown, setting: ExpectedSetting, isEnabled: boolean): boolean {
  const found = settingAt(file, setting.path);
  const wanted = isEnabled ? setting.enabled : setting.disabled;
  return isNothing(wanted) ? isNothing(found) : isSameJson(found, wanted);
}
