import { type ClusterRecord, isPulling } from "../../precache-model/cluster-record.ts";
import { labelsByCluster } from "../../precache-model/planned-upgrade.ts";
import { configsOf } from "../../precache-model/upgrade-spec.ts";
import { windowObstacle } from "../../precache-start/cluster-gates.ts";
import { earlierUpgrade } from "../../precache-start/start-obstacle.ts";
import { gatekeeper } from "../../windows/gate.ts";
import type { SimulationInput } from "./simulation.ts";

/** How windows delay a cluster. `notBefore` is the earliest time at which the cluster can finish; null for never. */
export type NotBefore = Readonly<{ notBefore: string | null; reason: string }>;

/**
 * Returns a function that returns how windows delay a cluster, or undefined if they do not delay it. `isComplete` says
 * that the simulation until `end` knew all sizes and speeds.
 */
export function closedWindows(
  { cgu, records, surroundings, now }: Pick<SimulationInput, "cgu" | "records" | "surroundings" | "now">,
  { isComplete, end }: Readonly<{ isComplete: boolean; end: Date }>,
): (cluster: string, simulated: ClusterRecord | undefined) => NotBefore | undefined {
  const gate = gatekeeper(surroundings.windows, ({ allow }) => allow.preCaching, { now });
  const annotatedObjects = [cgu, ...configsOf(cgu, surroundings.configs)];
  const labelsOf = labelsByCluster(surroundings.managedClusters);
  return (cluster, simulated) => {
    const record = records.get(cluster);
    if (isPulling(record?.state, record)) return undefined;
    const windows = gate(annotatedObjects, labelsOf(cluster));
    if (windows.windows.length === 0) return undefined;
    const opens = windows.isOpen ? now : windows.opensAt;
    const reason = windowObstacle(windows) ?? "";
    if (!opens) return { notBefore: null, reason };
    // The simulation had these openings, and the cluster did not finish: all of them are too short.
    if (isComplete && opens <= end && !earlierUpgrade(cgu, cluster, surroundings.others))
      return { notBefore: null, reason: simulated?.message ?? "" };
    return windows.isOpen ? undefined : { notBefore: opens.toISOString(), reason };
  };
}
