import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { fieldsOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/** The deprecated ConfigMap, in the namespace of a ClusterGroupUpgrade. */
export const overridesConfigMap = "cluster-group-upgrade-overrides";

export type OverrideKey =
  | "precache.image"
  | "platform.image"
  | "operators.indexes"
  | "operators.packagesAndChannels"
  | "excludePrecachePatterns"
  | "precache.spaceRequired";

/** Returns a value of the ConfigMap, empty when it is absent. */
export function overrideText(configMap: KubernetesObject | undefined, key: OverrideKey): string {
  const value = fieldsOf(configMap?.data)[key];
  return typeof value === "string" ? value : "";
}

/**
 * Returns a list of the ConfigMap, one entry per line. Undefined when the key is absent or empty: then another source is
 * used.
 */
export function overrideList(
  configMap: KubernetesObject | undefined,
  key: OverrideKey,
): readonly string[] | undefined {
  const text = overrideText(configMap, key);
  if (text === "") return undefined;
  const entries = text.split("\n").map((line) => line.trim());
  return entries.filter((entry) => entry !== "");
}

/** Returns the warning that a value was taken from the ConfigMap, in the words that TALM only logs. */
export function deprecation(configMap: KubernetesObject, key: OverrideKey): Issue {
  return fieldWarning(configMap, `data["${key}"]`, overrideText(configMap, key), {
    code: "DeprecatedConfigMap",
    message: `Deprecation warning: using cluster-group-upgrade-overrides ConfigMap to override the default value for ${key} is deprecated. Please use PreCachingConfig CR.`,
    remedy: "Move it into a PreCachingConfig and name that in spec.preCachingConfigRef.",
  });
}
