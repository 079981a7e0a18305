import { hubEvent } from "#shared/domain/events/hub-event.ts";
import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { readManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import { referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { hostedClustersInterest } from "../interest.ts";
import { concernPlace, concernReport } from "../observe/concern.ts";
import type { MirrorsSnapshot } from "../observe/observe-mirrors.ts";
import { rememberedRepositories } from "../observe/release-memory.ts";

/** Mirrors have changed: a hint for each hosted cluster that this concerns, and nothing for all others. */
export function decideMirrors({ hubId, reports, hostedClusters, mirrorObjects }: MirrorsSnapshot): Plan {
  const mirrors = readManagementMirrors(mirrorObjects);
  const told = new Map(reports.map((event) => [`${event.metadata.namespace}/${event.metadata.name}`, event]));
  const concerned = hostedClusters.filter((object) => {
    const { cluster } = readHostedCluster(object);
    const { namespace, name } = concernPlace(cluster);
    const event = told.get(`${namespace}/${name}`);
    const report = concernReport(cluster, mirrors, rememberedRepositories(cluster, event));
    return event?.message !== report.message;
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
              queue: hostedClustersInterest.queue,
              events: concerned.map((object) => hubEvent("update", referenceTo(object), { source: hubId })),
              reason,
            },
          ],
  };
}
