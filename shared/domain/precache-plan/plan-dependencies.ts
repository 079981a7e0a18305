import { hash } from "node:crypto";
import {
  isKind,
  type KubernetesObject,
  kinds,
  namespaceOf,
  type ObjectReference,
} from "../kubernetes/object.ts";
import { configReferenceOf, readUpgradeSpec } from "../precache-model/upgrade-spec.ts";
import { isHandedBackInWindow } from "../precache-start/rollout/rollout-annotations.ts";
import { windowAnnotation } from "../windows/gate.ts";

/** Returns a digest of a MaintenanceWindow's spec. No plan depends on the status, which changes every minute. */
export function windowFacts({ spec }: KubernetesObject): string {
  return hash("sha256", JSON.stringify(spec ?? null), "base64");
}

/** Reports whether an upgrade's plan may depend on an object or, with `isAnyOfKind`, on any object of its kind. */
export function isMadeFrom(
  cgu: KubernetesObject,
  { name, namespace, ...reference }: ObjectReference,
  isAnyOfKind = false,
): boolean {
  const { managedPolicies, clusters, clusterSelector, clusterLabelSelectors, preCachingConfigRef } =
    readUpgradeSpec(cgu);
  if (isKind(kinds.Policy, reference))
    return isAnyOfKind ? managedPolicies.length > 0 : managedPolicies.includes(name);
  // A reference has no labels, so a plan with a selector may depend on every ManagedCluster.
  if (isKind(kinds.ManagedCluster, reference))
    return isAnyOfKind || Boolean(clusterSelector || clusterLabelSelectors || clusters?.includes(name));
  // A reference does not show which clusters the ImageBasedGroupUpgrade handles, so every plan may depend on it.
  if (isKind(kinds.ImageBasedGroupUpgrade, reference)) return true;
  // A reference to a MaintenanceWindow does not show which upgrades or clusters use the window.
  if (isKind(kinds.MaintenanceWindow, reference))
    return (
      isHandedBackInWindow(cgu) ||
      Boolean(cgu.metadata.annotations?.[windowAnnotation]) ||
      configReferenceOf(cgu, preCachingConfigRef) !== undefined
    );
  if (isKind(kinds.ConfigMap, reference)) return isAnyOfKind || namespaceOf(cgu) === namespace;
  if (!isKind(kinds.PreCachingConfig, reference)) return false;
  const config = configReferenceOf(cgu, preCachingConfigRef);
  return config !== undefined && (isAnyOfKind || (config.namespace === namespace && config.name === name));
}
