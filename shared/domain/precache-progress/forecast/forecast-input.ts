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

/** The objects that forecasts are computed from; the lists may contain objects of other upgrades. */
export type ForecastSources = WindowSources &
  Readonly<{
    reports: readonly KubernetesObject[];
    /** ClusterGroupUpgrades; the one being forecast may be among them. */
    upgrades: readonly KubernetesObject[];
  }>;

/**
 * Returns the input for the forecast of an upgrade; undefined if nothing is planned. `selected` are the clusters of a plan:
 * the forecast of a cluster that waits in this plan is `unknown`.
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
