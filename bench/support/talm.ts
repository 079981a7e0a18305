import type { MeasuredRow } from "../claim.ts";

/**
 * What the Topology Aware Lifecycle Manager (TALM) needs for one cluster. It was measured once with 50 clusters and
 * Jobs of 20 s on a real API server. `writes` are the creates and deletes among the controller's `requests`.
 * `agentWrites` are the writes of agents and of the garbage collector. While a longer Job runs, the controller makes
 * another request every `pollSeconds`.
 */
export const talm = { requests: 62, writes: 15 + 23, pollSeconds: 30, agentWrites: 9 + 11 + 7 } as const;
const talmClusters = 50;

/**
 * Returns the fields of a row that compare a count per cluster with another count: with TALM's count or, for more than
 * 50 clusters, with hubrelay's own limit `bound`, since TALM was measured with only 50 clusters.
 */
export function perCluster(
  clusters: number,
  value: number,
  { unit, ofTalm, bound }: Readonly<{ unit: string; ofTalm: number; bound: number }>,
): Pick<MeasuredRow, "against" | "ratio" | "measures" | "goal"> {
  const measures = "count";
  if (clusters > talmClusters)
    return { against: `${bound} ${unit}`, ratio: value / bound, measures, goal: { atMost: 1 } };
  return {
    against: `TALM's ${ofTalm} with ${talmClusters}, measured earlier`,
    ratio: value / ofTalm,
    measures,
  };
}
