import type { Records } from "./cluster-record.ts";

type Labels = Readonly<Record<string, string>> | undefined;

/** A label of ManagedClusters, as of nodes. */
export const architectureLabel = "kubernetes.io/arch";

/** Returns the architecture of a cluster with these labels: amd64 without the label. */
export function architectureOf(labels: Labels): string {
  return labels?.[architectureLabel] || "amd64";
}

/**
 * Returns the highest total that a run of this content has reported, by architecture: that run has rendered the
 * catalogs, and every other cluster pulls the same.
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
