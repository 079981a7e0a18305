import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { newRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { changedReports } from "#shared/domain/precache-model/precaching-report.ts";
import { start } from "./precache-system.ts";

/** The reports about a planned upgrade, without anything that decides. */
export function reportsOf(cgu: KubernetesObject): readonly KubernetesObject[] {
  const upgrade = plannedUpgrade(cgu);
  if (!upgrade) throw new Error("the upgrade is not planned");
  const { name, revision, clusters } = upgrade;
  const records = new Map(clusters.map((cluster) => [cluster, newRecord(1, start)]));
  return changedReports([], { cgu, name, revision, clusters, records, lookAt: undefined, now: start });
}
