import { contentSourcesAnnotation } from "../hosted-clusters/content-sources.ts";
import { isKind, type KubernetesObject, kinds, namespacedName } from "../kubernetes/object.ts";
import { mirrorRuleKinds } from "../mirrors/input/rules.ts";
import { type HostedClusterCost, hostedClusterCosts } from "./hosted-cluster-cost.ts";

type Objects = readonly KubernetesObject[];

/**
 * Returns the objects without hosted clusters whose `spec.imageContentSources` hubrelay derives, if `all` have no mirrors:
 * then nothing is known of what it derives.
 */
export function withKnownSources(objects: Objects, all: Objects): Objects {
  const hasMirrors = all.some((object) => mirrorRuleKinds.some((kind) => isKind(kind, object)));
  return hasMirrors
    ? objects
    : objects.filter(({ metadata }) => metadata.annotations?.[contentSourcesAnnotation] === undefined);
}

/** A change of `spec.imageContentSources` that hubrelay does not write yet. */
export type HeldChange = Omit<HostedClusterCost, "namespace" | "name" | "waits">;

/** Returns the held changes of hosted clusters, by `namespace/name`. */
export function heldChanges(
  objects: readonly KubernetesObject[],
  now: Date,
): ReadonlyMap<string, HeldChange> {
  const known = withKnownSources(objects, objects);
  const windows = objects.filter((object) => isKind(kinds.MaintenanceWindow, object));
  // Between equal sides only what hubrelay has not written yet differs.
  const costs = hostedClusterCosts(known, known, { windows, now });
  return new Map(
    costs.flatMap(({ namespace, name, waits, ...heldChange }) =>
      waits ? [[namespacedName({ namespace, name }), heldChange] as const] : [],
    ),
  );
}
