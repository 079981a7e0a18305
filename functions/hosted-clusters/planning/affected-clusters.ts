import {
  type HostedCluster,
  readHostedCluster,
} from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { overridesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hypershift-overrides.ts";
import { type KubernetesObject, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { rememberedRepositories } from "#shared/registry/release-memory.ts";
import { releasesOf } from "../snapshot/cluster-dependencies.ts";
import { mirrorFingerprintEvent, mirrorFingerprintReference } from "../snapshot/mirror-fingerprint.ts";
import type { MirrorsSnapshot } from "../snapshot/observe-mirrors.ts";

type RecordedCluster = Readonly<{
  cluster: HostedCluster;
  /** The Event that records its mirrors. */
  event: KubernetesObject | undefined;
  /** Whether the mirrors affect it in another way than the Event records. */
  isAffected: boolean;
}>;

/** Returns the hosted clusters with what is recorded about their mirrors. */
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

/** Returns the hosted clusters that the mirrors affect in another way than their Events record. */
export function affectedClusters(snapshot: MirrorsSnapshot): readonly KubernetesObject[] {
  return recordedClusters(snapshot)
    .filter(({ isAffected }) => isAffected)
    .map(({ cluster }) => cluster.object);
}
