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

/** What begins the key of a PreCachingConfig, which leads to every ClusterGroupUpgrade that names it. */
export const configKeyPrefix = "PreCachingConfig/";
/** Policies, managed clusters, ConfigMaps and windows that have changed: together they lead to those that depend on them. */
export const sourcesKey = "sources";

function mapToKey(reference: ObjectReference): string | undefined {
  const { namespace = "", name, cluster } = reference;
  if (isKind(kinds.ClusterGroupUpgrade, reference)) return cluster ? undefined : `${namespace}/${name}`;
  if (isKind(kinds.PreCachingConfig, reference)) return `${configKeyPrefix}${namespace}/${name}`;
  return isPlanSource(reference) ? sourcesKey : undefined;
}

/** The annotations of a ClusterGroupUpgrade that planning takes up, or tells the mistakes of. */
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
 * Woken by ClusterGroupUpgrades and by what their plans are made from. Of the sources only what plans depend on
 * travels: a hub has ten thousands of copies of policies and of ConfigMaps, and managed clusters tell of themselves all
 * the time. A rest between them keeps a fleet that flaps from being planned over and over.
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
