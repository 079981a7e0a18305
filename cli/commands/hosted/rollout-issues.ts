import { findStored } from "#shared/domain/crd/admit.ts";
import { withKnownSources } from "#shared/domain/diff/held-changes.ts";
import { hostedClusterCosts } from "#shared/domain/diff/hosted-cluster-cost.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { rolloutText } from "../mirrors/cost-table.ts";

type Objects = readonly KubernetesObject[];

/**
 * Returns a warning for each hosted cluster whose nodes these objects replace or drain when they are applied to a hub that
 * has the stored ones. It names NodePools and nodes.
 */
export function rolloutIssues(objects: Objects, stored: Objects, now: Date): readonly Issue[] {
  if (stored.length === 0) return [];
  const all = [...objects, ...stored.filter((object) => !findStored(object, objects))];
  const windows = all.filter((object) => isKind(kinds.MaintenanceWindow, object));
  const costs = hostedClusterCosts(withKnownSources(stored, all), withKnownSources(all, all), {
    windows,
    now,
  });
  return costs.flatMap((cluster): Issue[] => {
    if (cluster.cost === "none") return [];
    const { namespace, name, waits, fields, differences } = cluster;
    const about = { kind: kinds.HostedCluster.kind, namespace, name };
    const [field = ""] = fields;
    const isMirrors = fields.length === 1 && field === "spec.imageContentSources";
    return [
      fieldIssue(about, field.startsWith("NodePool ") ? "" : field, differences, {
        code: "RollsNodes",
        severity: "warning",
        message: `${isMirrors ? "The nodes get other mirrors." : differences.join(" ")} ${rolloutText(cluster)}`,
        remedy: waits
          ? "Nothing to do: hubrelay writes it when a maintenance window or hubrelay.dev/max-cost allows it."
          : "Apply it when nodes may be replaced.",
      }),
    ];
  });
}
