import type { MeasuredRow } from "../claim.ts";

/**
 * What the Topology Aware Lifecycle Manager (TALM) needs for one cluster with a Job of 20 s, measured once with 50
 * clusters on a real API server. `writes` are the creates and deletes among the controller's `requests`. `agentWrites`
 * are the writes of agents and of the garbage collector.
 */
export const talm = { requests: 62, writes: 15 + 23, pollSeconds: 30, agentWrites: 9 + 11 + 7 } as const;
const talmClusters = 50;

/**
 * Returns the part of a row that compares a count per cluster with TALM's count or, for more than 50 clusters, with
 * hubrelay's own limit `bound`: TALM was measured only with 50 clusters.
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
