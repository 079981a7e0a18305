import type { MeasuredRow } from "../claim.ts";

/**
 * Figures of the Topology Aware Lifecycle Manager per cluster: requests of its controller for a Job of 20 s, the
 * creates and deletes among them, one poll every 30 s, and writes of agents and garbage collection. Measured once, with
 * 50 clusters on a real API server. No run of the bench measures them again.
 */
export const talm = { requests: 62, writes: 15 + 23, pollSeconds: 30, agentWrites: 9 + 11 + 7 } as const;
const talmClusters = 50;

/**
 * Compares a figure per cluster with TALM's for at most as many clusters as were measured, and with hubrelay's own
 * bound for more clusters.
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
