import type { Snapshot } from "#functions/precache-cluster/observe.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { ClusterRecord } from "#shared/domain/precache/progress/cluster-record.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { anUpgrade, reportsFor } from "./precache-snapshots.ts";
import { start } from "./precache-system.ts";

/** The hub as read for messages about all clusters of this upgrade. */
export function aSnapshot(cgu: KubernetesObject | undefined, changes: Partial<Snapshot> = {}): Snapshot {
  const clusters: readonly string[] = Object(cgu?.status).precaching?.clusters ?? [];
  return {
    now: start,
    cgu,
    clusters,
    reports: [],
    config: undefined,
    others: [],
    managedClusters: [],
    works: [],
    planning: noExternalPorts.planning,
    ...changes,
  };
}

export const one = anUpgrade(["sno1"]);
/** The hub with this record of sno1. */
export const recorded = (
  record: Partial<ClusterRecord>,
  { cgu = one, ...changes }: Partial<Snapshot> = {},
): Snapshot => aSnapshot(cgu, { reports: reportsFor(cgu, { sno1: record }), ...changes });

/** The record of a cluster that has a slot. */
export const claimed = { state: "PreparingToStart", reason: "Claimed" } as const;
