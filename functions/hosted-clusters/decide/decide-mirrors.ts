import { hubEvent } from "#shared/domain/events/hub-event.ts";
import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { readManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import { referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { mirrorFingerprintEvent, mirrorFingerprintReference } from "../observe/mirror-fingerprint.ts";
import type { MirrorsSnapshot } from "../observe/observe-mirrors.ts";
import { rememberedRepositories } from "../observe/release-memory.ts";
import { hostedClustersWatches } from "../watches.ts";

/** Sends a hint for each hosted cluster that a change of mirrors affects. */
export function decideMirrors({ hubId, objectEvents, hostedClusters, mirrorObjects }: MirrorsSnapshot): Plan {
  const mirrors = readManagementMirrors(mirrorObjects);
  const recordedEvents = new Map(
    objectEvents.map((event) => [`${event.metadata.namespace}/${event.metadata.name}`, event]),
  );
  const affected = hostedClusters.filter((object) => {
    const { cluster } = readHostedCluster(object);
    const { namespace, name } = mirrorFingerprintReference(cluster);
    const event = recordedEvents.get(`${namespace}/${name}`);
    const objectEvent = mirrorFingerprintEvent(cluster, mirrors, rememberedRepositories(cluster, event));
    return event?.message !== objectEvent.message;
  });
  const reason = `${affected.length} of ${hostedClusters.length} hosted clusters are affected by the current mirrors`;
  return {
    decisions: [{ subject: "mirrors", verdict: affected.length > 0 ? "forward" : "unchanged", reason }],
    issues: [],
    actions: [],
    sends:
      affected.length === 0
        ? []
        : [
            {
              queue: hostedClustersWatches.queue,
              events: affected.map((object) => hubEvent("update", referenceTo(object), { source: hubId })),
              reason,
            },
          ],
  };
}
