import { hubEvent } from "#shared/domain/events/hub-event.ts";
import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { readManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import { referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { mirrorFingerprintEvent, mirrorFingerprintPlace } from "../observe/mirror-fingerprint.ts";
import type { MirrorsSnapshot } from "../observe/observe-mirrors.ts";
import { rememberedRepositories } from "../observe/release-memory.ts";
import { hostedClustersWatches } from "../watches.ts";

/** Mirrors have changed: a hint for each hosted cluster that this concerns, and nothing for all others. */
export function decideMirrors({ hubId, objectEvents, hostedClusters, mirrorObjects }: MirrorsSnapshot): Plan {
  const mirrors = readManagementMirrors(mirrorObjects);
  const told = new Map(
    objectEvents.map((event) => [`${event.metadata.namespace}/${event.metadata.name}`, event]),
  );
  const concerned = hostedClusters.filter((object) => {
    const { cluster } = readHostedCluster(object);
    const { namespace, name } = mirrorFingerprintPlace(cluster);
    const event = told.get(`${namespace}/${name}`);
    const objectEvent = mirrorFingerprintEvent(cluster, mirrors, rememberedRepositories(cluster, event));
    return event?.message !== objectEvent.message;
  });
  const reason = `${concerned.length} of ${hostedClusters.length} hosted clusters are concerned by the present mirrors`;
  return {
    decisions: [{ subject: "mirrors", verdict: concerned.length > 0 ? "hand on" : "unchanged", reason }],
    issues: [],
    actions: [],
    sends:
      concerned.length === 0
        ? []
        : [
            {
              queue: hostedClustersWatches.queue,
              events: concerned.map((object) => hubEvent("update", referenceTo(object), { source: hubId })),
              reason,
            },
          ],
  };
}
