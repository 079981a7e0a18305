import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { ObjectReference } from "#shared/domain/kubernetes/object.ts";
import type { Interest } from "#shared/shell/reaction.ts";

export const planQueue = "precache-plans";

/** What begins the key of a PreCachingConfig, which leads to every ClusterGroupUpgrade that names it. */
export const configKeyPrefix = "PreCachingConfig/";

function keyOf({ namespace = "", name, cluster, ...reference }: ObjectReference): string | undefined {
  if (isKind(kinds.ClusterGroupUpgrade, reference)) return cluster ? undefined : `${namespace}/${name}`;
  if (isKind(kinds.PreCachingConfig, reference)) return `${configKeyPrefix}${namespace}/${name}`;
  return undefined;
}

/**
 * Woken by ClusterGroupUpgrades and PreCachingConfigs. Policies, managed clusters and the deprecated ConfigMap are
 * looked at with them and at every resync tick: a hub has ten thousands of policies, and of ConfigMaps, that no plan
 * depends on.
 */
export const precachePlanInterest: Interest = {
  name: "precache-plan",
  queue: planQueue,
  kinds: [kinds.ClusterGroupUpgrade, kinds.PreCachingConfig],
  keyOf,
};
