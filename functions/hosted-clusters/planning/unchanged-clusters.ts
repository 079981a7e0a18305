import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { fieldsOf } from "#shared/domain/json/values.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import { namespacedName } from "#shared/domain/kubernetes/object.ts";
import { ownershipOf } from "../ownership.ts";
import { mirrorFingerprintReference } from "../snapshot/mirror-fingerprint.ts";
import type { TickSnapshot } from "../snapshot/observe-tick.ts";
import { dependsOnNodePools, dependsOnWindows } from "../snapshot/sources-of.ts";
import { affectedClusters } from "./affected-clusters.ts";
import { type Basis, isDecidedFrom } from "./basis.ts";

/**
 * Returns the keys of the hosted clusters whose last decision was derived from what the lists of this tick hold. Pure; a
 * hosted cluster that was never decided about, or whose Event was removed, is not among them.
 */
export function unchangedClusters(tick: TickSnapshot, now: Date): ReadonlySet<string> {
  const { hostedClusters, controlPlanes, hypershiftOperator, nodePools, windows, objectEvents } = tick;
  const affected = new Set(affectedClusters(tick));
  const events = new Map(objectEvents.map((event) => [namespacedName(event.metadata), event]));
  const byNamespace = Map.groupBy(controlPlanes, ({ metadata }) => metadata.namespace);
  const ofCluster = Map.groupBy(nodePools, ({ metadata, spec }) =>
    namespacedName({ ...metadata, name: String(fieldsOf(spec).clusterName) }),
  );
  const unchanged = hostedClusters.filter((hostedCluster) => {
    if (affected.has(hostedCluster)) return false;
    const { cluster } = readHostedCluster(hostedCluster);
    const event = events.get(namespacedName(mirrorFingerprintReference(cluster)));
    const beside = byNamespace.get(cluster.controlPlaneNamespace) ?? [];
    const basis: Basis = {
      hostedCluster,
      mode: ownershipOf(hostedCluster, hypershiftOperator).mode,
      controlPlane: beside.filter(
        (object) => !isKind(kinds.HostedControlPlane, object) || object.metadata.name === cluster.name,
      ),
      nodePools: dependsOnNodePools(cluster)
        ? (ofCluster.get(namespacedName(hostedCluster.metadata)) ?? [])
        : [],
      windows: dependsOnWindows(cluster) ? windows : [],
    };
    return event !== undefined && isDecidedFrom(basis, event, now);
  });
  return new Set(unchanged.map(({ metadata }) => namespacedName(metadata)));
}
