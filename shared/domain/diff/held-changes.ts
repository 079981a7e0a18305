import { isKind, type KubernetesObject, kinds, namespacedName } from "../kubernetes/object.ts";
import { type HostedClusterCost, hostedClusterCosts } from "./hosted-cluster-cost.ts";
import { withKnownSources } from "./known-sources.ts";

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
