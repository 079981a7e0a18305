import { hubEvent } from "#shared/domain/events/hub-event.ts";
import { readHostedCluster } from "#shared/domain/hosted-clusters/hosted-cluster.ts";
import { readManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import { referenceTo } from "#shared/domain/kubernetes/object.ts";
import { reportName } from "#shared/domain/kubernetes/report.ts";
import type { Plan } from "#shared/domain/plan.ts";
import { concernReport } from "./concern.ts";
import { hostedClustersInterest } from "./interest.ts";
import type { MirrorsSnapshot } from "./observe-mirrors.ts";
import { reportComponent } from "./report.ts";

/** Mirrors have changed: a hint for each hosted cluster that this concerns, and nothing for all others. */
export function decideMirrors({ hubId, reports, hostedClusters, mirrorObjects }: MirrorsSnapshot): Plan {
  const mirrors = readManagementMirrors(mirrorObjects);
  const told = new Map(
    reports.map(({ metadata, message }) => [`${metadata.namespace}/${metadata.name}`, message]),
  );
  const concerned = hostedClusters.filter((object) => {
    const report = concernReport(readHostedCluster(object).cluster, mirrors);
    const name = `${object.metadata.namespace}/${reportName(report, reportComponent)}`;
    return told.get(name) !== report.message;
  });
  const reason = `${concerned.length} of ${hostedClusters.length} hosted clusters are concerned by the present mirrors`;
  return {
    decisions: [{ subject: "mirrors", verdict: concerned.length > 0 ? "hand on" : "unchanged", reason }],
    issues: [],
    outcomes: [],
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
