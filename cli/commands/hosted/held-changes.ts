import type { Coverage } from "#shared/domain/covered/coverage.ts";
import { type HostedClusterCost, hostedClusterCosts } from "#shared/domain/diff/hosted-cluster-cost.ts";
import type { HostedClusterReport } from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import { type KubernetesObject, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { withKnownSources } from "./known-sources.ts";

/** A change of `spec.imageContentSources` that hubrelay does not write yet. */
export type HeldChange = Omit<HostedClusterCost, "namespace" | "name" | "waits">;

export type ShownCluster = HostedClusterReport & Readonly<{ heldChange?: HeldChange; coverage: Coverage }>;

/** Returns the held changes of hosted clusters, by `namespace/name`. */
export function heldChanges(
  objects: readonly KubernetesObject[],
  now: Date,
): ReadonlyMap<string, Required<Pick<ShownCluster, "heldChange">>> {
  const known = withKnownSources(objects, objects);
  const windows = objects.filter((object) => isKind(kinds.MaintenanceWindow, object));
  // Between equal sides only what hubrelay has not written yet differs.
  const costs = hostedClusterCosts(known, known, { windows, now });
  return new Map(
    costs.flatMap(({ namespace, name, waits, ...heldChange }) =>
      waits ? [[namespacedName({ namespace, name }), { heldChange }] as const] : [],
    ),
  );
}
