import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectReference } from "#shared/domain/kubernetes/object.ts";
import { rootPolicyLabel } from "#shared/domain/precache/plan/policies/managed-policies.ts";
import { precachingAnnotation } from "#shared/domain/precache/plan/precaching-owner.ts";
import { planningFacts } from "#shared/domain/precache/plan/selection/cluster-facts.ts";
import { isPlanSource, windowFacts } from "#shared/domain/precache/plan/sources.ts";
import { overridesConfigMap } from "#shared/domain/precache/plan/values/overrides-config-map.ts";
import { bandwidthAnnotation } from "#shared/domain/precache/progress/bandwidth-annotations.ts";
import { limitAnnotations } from "#shared/domain/precache/progress/concurrency.ts";
import { parallelPullsAnnotation } from "#shared/domain/precache/progress/parallel-pulls.ts";
import { enableAnnotation } from "#shared/domain/precache/rollout/hand-back-annotation.ts";
import { windowAnnotation } from "#shared/domain/windows/window-names.ts";
import type { Watches } from "#shared/runtime/controller.ts";

export const planQueue = "precache-plans";

/** The key prefix of a PreCachingConfig, which maps to every ClusterGroupUpgrade that names it. */
export const configKeyPrefix = "PreCachingConfig/";
/**
 * The common key of changed policies, managed clusters, ConfigMaps and windows, which maps to the
 * ClusterGroupUpgrades that depend on them.
 */
export const sourcesKey = "sources";

function mapToKey(reference: ObjectReference): string | undefined {
  const { namespace = "", name, cluster } = reference;
  if (isKind(kinds.ClusterGroupUpgrade, reference)) return cluster ? undefined : `${namespace}/${name}`;
  if (isKind(kinds.PreCachingConfig, reference)) return `${configKeyPrefix}${namespace}/${name}`;
  return isPlanSource(reference) ? sourcesKey : undefined;
}

/** The annotations of a ClusterGroupUpgrade that planning uses or validates. */
const watchedAnnotations = [
  precachingAnnotation,
  enableAnnotation,
  windowAnnotation,
  ...Object.values(limitAnnotations),
  bandwidthAnnotation,
  parallelPullsAnnotation,
];

function fingerprint(object: KubernetesObject): string | undefined {
  if (!isKind(kinds.ClusterGroupUpgrade, object)) return undefined;
  return JSON.stringify(watchedAnnotations.map((name) => object.metadata.annotations?.[name]));
}

/**
 * Triggered by ClusterGroupUpgrades and by the sources of their plans. Only changes of source fields that plans
 * depend on are sent: a hub has tens of thousands of copies of policies and of ConfigMaps, and managed clusters
 * update their status constantly. A pause between them prevents constant planning of an unstable fleet.
 */
export const precachePlanWatches: Watches = {
  name: "precache-plan",
  queue: planQueue,
  timeoutSeconds: 60,
  kinds: [kinds.ClusterGroupUpgrade, kinds.PreCachingConfig],
  sources: {
    debounceSeconds: 10,
    of: [
      { kind: kinds.Policy, withoutLabel: rootPolicyLabel },
      { kind: kinds.ManagedCluster, fingerprint: planningFacts },
      { kind: kinds.ConfigMap, name: overridesConfigMap },
      { kind: kinds.MaintenanceWindow, fingerprint: windowFacts },
    ],
  },
  fingerprint,
  mapToKey,
};
