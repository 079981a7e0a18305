import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { type PlannedUpgrade, plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import type { Surroundings } from "#shared/domain/precache-start/slot-changes.ts";
import { aStoredUpgrade } from "./precache-snapshots.ts";
import { aWindow } from "./precache-windows.ts";

/** A fleet whose clusters are named after their sites: `a1`, `a2`, `b1`, … */
export type Fleet = Readonly<{ cgu: KubernetesObject; upgrade: PlannedUpgrade; surroundings: Surroundings }>;

export const siteOf = (cluster: string): string => cluster.replace(/\d+$/, "");

/** Returns a fleet with these clusters; `windows` are specs by name, which may select sites. */
export function aFleet(
  clusters: readonly string[],
  {
    maxConcurrency = clusters.length,
    timeout = 240,
    annotations = {},
    windows = {},
  }: Readonly<{
    maxConcurrency?: number;
    timeout?: number;
    annotations?: Readonly<Record<string, string>>;
    windows?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  }> = {},
): Fleet {
  const cgu = aStoredUpgrade(clusters, {
    maxConcurrency,
    timeout,
    annotations: { "hubrelay.dev/site-label": "site", ...annotations },
  });
  const upgrade = plannedUpgrade(cgu);
  if (!upgrade) throw new Error("the upgrade is not planned");
  const { apiVersion, kind } = kinds.ManagedCluster;
  const managedClusters = clusters.map((name) => ({
    apiVersion,
    kind,
    metadata: { name, labels: { site: siteOf(name) } },
  }));
  return {
    cgu,
    upgrade,
    surroundings: {
      windows: Object.entries(windows).map(([name, spec]) => aWindow(name, spec)),
      configs: [],
      managedClusters,
      others: [],
    },
  };
}
