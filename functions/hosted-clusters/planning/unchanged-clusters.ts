import {
  type HostedCluster,
  readHostedCluster,
} from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { releasesOf } from "#shared/domain/hosted-clusters/cluster/release-images.ts";
import { overridesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hub-overrides.ts";
import { ownershipOf } from "#shared/domain/hosted-clusters/ownership.ts";
import { isKind, type KubernetesObject, kinds, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { keptOutcomesOn } from "#shared/domain/plan/kept-outcomes.ts";
import { rememberedRepositories } from "#shared/registry/release-memory.ts";
import type { TickTime } from "#shared/runtime/controller.ts";
import { mirrorFingerprintEvent, mirrorFingerprintReference } from "../snapshot/mirror-fingerprint.ts";
import type { MirrorsSnapshot, TickSnapshot } from "../snapshot/observe-tick.ts";
import { type Basis, isDecidedFrom } from "./basis.ts";

type RecordedCluster = Readonly<{
  cluster: HostedCluster;
  event: KubernetesObject | undefined;
  /** True if the mirrors affect the cluster differently than its Event records, or if there is no Event. */
  isAffected: boolean;
}>;

/** Returns each hosted cluster with its Event about mirrors. */
export function recordedClusters({
  objectEvents,
  hostedClusters,
  mirrorObjects,
}: MirrorsSnapshot): readonly RecordedCluster[] {
  const mirrors = overridesLikeHypershift(mirrorObjects);
  const events = new Map(objectEvents.map((event) => [namespacedName(event.metadata), event]));
  return hostedClusters.map((object) => {
    const { cluster } = readHostedCluster(object);
    const event = events.get(namespacedName(mirrorFingerprintReference(cluster)));
    const repositories = rememberedRepositories(releasesOf(cluster), event);
    const { message } = mirrorFingerprintEvent(cluster, mirrors, repositories);
    return { cluster, event, isAffected: event?.message !== message };
  });
}

/** Returns the hosted clusters without an Event that records the present effect of mirrors. */
export function affectedClusters(snapshot: MirrorsSnapshot): readonly KubernetesObject[] {
  return recordedClusters(snapshot)
    .filter(({ isAffected }) => isAffected)
    .map(({ cluster }) => cluster.object);
}

const clockSkewMs = 60_000;

/** An outcome since `owedSince` may be unpublished. Outcomes are recorded only on HostedClusters and Events. */
function keptSince({ hostedClusters, objectEvents }: TickSnapshot, owedSince: Date): ReadonlySet<string> {
  const kept = [...hostedClusters, ...objectEvents].flatMap(keptOutcomesOn);
  const recent = kept.filter(({ time }) => !(Date.parse(time ?? "") < owedSince.getTime() - clockSkewMs));
  return new Set(recent.map(({ subject }) => subject));
}

/** Returns the keys of the clusters that need no reconcile, because the basis of their decision is unchanged. */
export function unchangedClusters(tick: TickSnapshot, { now, owedSince }: TickTime): ReadonlySet<string> {
  const { hostedControlPlanes, deployments, hypershiftOperator } = tick;
  const inControlPlanes = [...hostedControlPlanes, ...deployments];
  const byNamespace = Map.groupBy(inControlPlanes, ({ metadata }) => metadata.namespace);
  const owed = owedSince && keptSince(tick, owedSince);
  const unchanged = recordedClusters(tick).filter(({ cluster, event, isAffected }) => {
    if (!event || isAffected) return false;
    const { mode } = ownershipOf(cluster.object, hypershiftOperator);
    if (owed?.has(namespacedName(cluster.object.metadata))) return false;
    const beside = byNamespace.get(cluster.controlPlaneNamespace) ?? [];
    const basis: Basis = {
      hostedCluster: cluster.object,
      mode,
      controlPlane: beside.filter(
        (object) => !isKind(kinds.HostedControlPlane, object) || object.metadata.name === cluster.name,
      ),
    };
    return isDecidedFrom(basis, event, now);
  });
  return new Set(unchanged.map(({ cluster }) => namespacedName(cluster.object.metadata)));
}
