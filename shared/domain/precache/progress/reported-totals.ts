import type { Records } from "./precaching-report.ts";

type Labels = Readonly<Record<string, string>> | undefined;

/** On a ManagedCluster, as on nodes. */
const architectureLabel = "kubernetes.io/arch";

/** The architecture whose images a cluster with these labels pulls: amd64 where they do not tell. */
export function architectureOf(labels: Labels): string {
  return labels?.[architectureLabel] || "amd64";
}

/**
 * The most bytes that a run of this content has told as its total, by architecture: it has rendered the catalogs, and
 * every other cluster pulls the same.
 */
export function reportedTotals(
  records: Records,
  labelsOf: (cluster: string) => Labels,
): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const [cluster, { bytesTotal = 0 }] of records) {
    if (bytesTotal === 0) continue;
    const architecture = architectureOf(labelsOf(cluster));
    if (bytesTotal > (totals.get(architecture) ?? 0)) totals.set(architecture, bytesTotal);
  }
  return totals;
}
