import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { readManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { rememberedRepositories } from "#shared/registry/release-memory.ts";
import { mirrorFingerprintEvent, mirrorFingerprintReference } from "../snapshot/mirror-fingerprint.ts";
import type { MirrorsSnapshot } from "../snapshot/observe-mirrors.ts";
import { releasesOf } from "../snapshot/releases-of.ts";

/** Returns the hosted clusters that the mirrors affect in another way than their Events record. */
export function affectedClusters({
  objectEvents,
  hostedClusters,
  mirrorObjects,
}: MirrorsSnapshot): readonly KubernetesObject[] {
  const mirrors = readManagementMirrors(mirrorObjects);
  const recordedEvents = new Map(
    objectEvents.map((event) => [`${event.metadata.namespace}/${event.metadata.name}`, event]),
  );
  return hostedClusters.filter((object) => {
    const { cluster } = readHostedCluster(object);
    const { namespace, name } = mirrorFingerprintReference(cluster);
    const event = recordedEvents.get(`${namespace}/${name}`);
    const objectEvent = mirrorFingerprintEvent(
      cluster,
      mirrors,
      rememberedRepositories(releasesOf(cluster), event),
    );
    return event?.message !== objectEvent.message;
  });
}
