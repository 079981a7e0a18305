import { type KubernetesObject, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import { labelsByCluster, plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { configsOf } from "#shared/domain/precache-model/upgrade-spec.ts";
import { withForecast } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import { groupsOf } from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import {
  type ClusterProgress,
  type FleetStatus,
  fleetStatus,
} from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import type { ForecastSources } from "#shared/domain/precache-progress/forecast/forecast-input.ts";
import { requiresReady } from "#shared/domain/precache-start/limits.ts";
import { enableTimeOf } from "#shared/domain/precache-start/rollout/rollout-annotations.ts";
import { readinessFor } from "#shared/domain/ready/record/readiness-report.ts";
import { type Gatekeeper, gatekeeper } from "#shared/domain/windows/gate.ts";
import type { UpgradeMetrics } from "#shared/ports/log.ts";

/** The objects from which the metrics of upgrades are derived. Lists may include objects of other upgrades. */
export type UpgradeSources = ForecastSources & Readonly<{ readiness: readonly KubernetesObject[] }>;

/** The maximum number of upgrades with metrics, because each upgrade is a label value of several metrics. */
export const maxUpgrades = 50;

function newestUpgrades(upgrades: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const created = ({ metadata }: KubernetesObject) => Date.parse(metadata.creationTimestamp ?? "") || 0;
  return upgrades
    .filter((cgu) => plannedUpgrade(cgu)?.isOver === false)
    .sort((a, b) => created(b) - created(a))
    .slice(0, maxUpgrades);
}

function lateClusters(
  cgu: KubernetesObject,
  fleet: FleetStatus,
  sources: UpgradeSources,
  now: Date,
): number | undefined {
  const by = enableTimeOf(cgu);
  if (!by) return undefined;
  if (by <= now) return fleet.total - fleet.ended;
  const { forecast } = withForecast(fleet, cgu, sources, now);
  return forecast ? forecast.late - forecast.failed : 0;
}

function waitsForImages(
  cgu: KubernetesObject,
  annotated: readonly KubernetesObject[],
  revision: string,
  reports: readonly KubernetesObject[],
): boolean {
  if (!requiresReady(annotated).required) return false;
  const key = namespacedName(cgu.metadata);
  const report = reports.find(({ metadata }) => namespacedName(metadata) === key);
  return readinessFor(report, revision).ready !== "True";
}

function opening(
  annotated: readonly KubernetesObject[],
  clusters: readonly ClusterProgress[],
  gateOf: Gatekeeper,
  labelsOf: ReturnType<typeof labelsByCluster>,
  now: Date,
): Pick<UpgradeMetrics, "notReadyOpensInSeconds"> {
  const waiting = clusters.filter(({ state }) => !isFinalState(state));
  const gates = new Set(waiting.map(({ name }) => gateOf(annotated, labelsOf(name))));
  const starts = [...gates].flatMap((gate) => (gate.isOpen ? now : (gate.opensAt ?? [])));
  if (starts.length === 0) return {};
  const first = Math.min(...starts.map((start) => start.getTime()));
  return { notReadyOpensInSeconds: Math.floor((first - now.getTime()) / 1000) };
}

/** Returns the metrics of the newest upgrades that are not completed. The iterator computes them one by one. */
export function upgradeMetrics(sources: UpgradeSources, now: Date): IteratorObject<UpgradeMetrics> {
  const { upgrades, reports, windows, configs, managedClusters } = sources;
  const gateOf = gatekeeper(windows, ({ allow }) => allow.preCaching, { now });
  const labelsOf = labelsByCluster(managedClusters);
  const measuresOf = (cgu: KubernetesObject): readonly UpgradeMetrics[] => {
    const fleet = fleetStatus(cgu, reports, now, sources);
    if (!fleet) return [];
    const { clusters, total, revision } = fleet;
    const annotated = [cgu, ...configsOf(cgu, configs)];
    const grouped = groupsOf(clusters);
    const late = lateClusters(cgu, fleet, sources, now);
    return [
      {
        upgrade: namespacedName(cgu.metadata),
        groups: [...grouped].map(([group, some]) => ({ group, clusters: some.length })),
        failedShare: (grouped.get("failed")?.length ?? 0) / total,
        ...(late === undefined ? {} : { late }),
        ...(waitsForImages(cgu, annotated, revision, sources.readiness)
          ? opening(annotated, clusters, gateOf, labelsOf, now)
          : {}),
      },
    ];
  };
  return newestUpgrades(upgrades).values().flatMap(measuresOf);
}
