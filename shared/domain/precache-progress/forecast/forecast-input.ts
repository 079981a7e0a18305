import { type KubernetesObject, namespaceOf } from "../../kubernetes/object.ts";
import type { PlannedCluster } from "../../precache-model/precache-plan.ts";
import {
  completePullsOf,
  currentUpgrade,
  recordsOf,
  reportsOf,
} from "../../precache-model/precaching-report.ts";
import { configsOf } from "../../precache-model/upgrade-spec.ts";
import type { WindowSources } from "../../precache-start/cluster-gates.ts";
import type { ForecastInput } from "./forecast.ts";

/** The objects from which forecasts are computed. They may belong to any upgrade. */
export type ForecastSources = WindowSources &
  Readonly<{
    reports: readonly KubernetesObject[];
    /** ClusterGroupUpgrades; the upgrade itself may be among them. */
    upgrades: readonly KubernetesObject[];
  }>;

/**
 * Returns what an upgrade's forecast is computed from; undefined if the upgrade has no plan or is over. `selected` are
 * the clusters of a new plan that is not on the hub yet.
 */
export function forecastInput(
  cgu: KubernetesObject,
  { reports, upgrades, ...sources }: ForecastSources,
  now: Date,
  selected: readonly PlannedCluster[] = [],
): ForecastInput | undefined {
  const own = reportsOf(cgu, reports);
  const upgrade = currentUpgrade(cgu, own);
  if (!upgrade || upgrade.isOver) return undefined;
  const isThis = (one: KubernetesObject) =>
    namespaceOf(one) === namespaceOf(cgu) && one.metadata.name === cgu.metadata.name;
  return {
    cgu,
    upgrade,
    records: recordsOf(own, upgrade.revision),
    surroundings: {
      ...sources,
      configs: configsOf(cgu, sources.configs),
      others: upgrades.filter((one) => !isThis(one)),
    },
    pulls: completePullsOf(reports),
    unplanned: new Map(
      selected.flatMap(({ name, action, reason }) => (action === "wait" ? [[name, reason] as const] : [])),
    ),
    now,
  };
}
