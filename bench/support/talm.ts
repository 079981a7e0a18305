import type { MeasuredRow } from "../claim.ts";

/**
 * What the Topology Aware Lifecycle Manager (TALM) needs for one cluster: all requests of its controller, the creates
 * and deletes among them, and the writes of agents and garbage collection. Measured once, with 50 clusters and Jobs of
 * 20 s on a real API server. While a longer Job runs, TALM makes another request every `pollSeconds`.
 */
export const talm = { requests: 62, writes: 15 + 23, pollSeconds: 30, agentWrites: 9 + 11 + 7 } as const;
const talmClusters = 50;

/** Returns the fields of a row that compare a count per cluster with TALM's count or, for large fleets, a limit. */
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
