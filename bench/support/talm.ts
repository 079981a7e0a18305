import type { MeasuredRow } from "../claim.ts";

/**
 * Counts of the Topology Aware Lifecycle Manager for one cluster and a Job of 20 s: all requests of its controller, the
 * creates and deletes among them, the seconds between polls, and the writes of agents and garbage collection. Measured
 * once, with 50 clusters on a real API server; the benchmark does not measure them again.
 */
export const talm = { requests: 62, writes: 15 + 23, pollSeconds: 30, agentWrites: 9 + 11 + 7 } as const;
const talmClusters = 50;

/**
 * Compares a count per cluster with TALM's count. For a fleet with more clusters than TALM was measured with, compares
 * the count with `bound` instead, which is hubrelay's own limit.
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
