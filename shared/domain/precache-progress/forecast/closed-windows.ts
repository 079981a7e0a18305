import { type ClusterRecord, isPulling } from "../../precache-model/cluster-record.ts";
import { labelsByCluster } from "../../precache-model/planned-upgrade.ts";
import { configsOf } from "../../precache-model/upgrade-spec.ts";
import { waitsFor } from "../../precache-start/precedence.ts";
import { contender, rivalsFor } from "../../precache-start/rivals.ts";
import { gatekeeper } from "../../windows/gate.ts";
import type { SimulationInput } from "./simulation.ts";

/** What windows say about a cluster that the simulation has not ended: null is an end that they never allow. */
export type NotBefore = Readonly<{ notBefore: string | null; reason: string }>;

/**
 * Returns what closed windows keep clusters from: an end before they open, or any, where they stay closed, and where
 * openings up to `end` are not enough. The latter is only known of clusters that no other upgrade keeps back, and only
 * if `isComplete`: the simulation knew what each cluster pulls, and how fast.
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
    const reason = windows.isOpen ? (simulated?.message ?? "") : `${windows.reason}.`;
    if (!opens) return { notBefore: null, reason };
    const isKept = () => waitsFor(contender(cgu, undefined), rivalsFor(cluster, surroundings.others));
    if (isComplete && opens <= end && !isKept()) return { notBefore: null, reason };
    return windows.isOpen ? undefined : { notBefore: opens.toISOString(), reason };
  };
}
