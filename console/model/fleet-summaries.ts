import { type Coverage, countedKinds, coverageOf } from "#shared/domain/issues/coverage.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { labelsByCluster } from "#shared/domain/precache-model/planned-upgrade.ts";
import { configsOf } from "#shared/domain/precache-model/upgrade-spec.ts";
import { isOver } from "#shared/domain/precache-plan/plan-all.ts";
import { fleetSources } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import { type BarPart, barOf } from "#shared/domain/precache-progress/fleet/cluster-group.ts";
import { withForecast } from "#shared/domain/precache-progress/fleet/fleet-forecast.ts";
import { type FleetStatus, fleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import {
  fleetMessage,
  type ReasonGroup,
  reasonsOf,
} from "#shared/domain/precache-progress/fleet/reason-groups.ts";
import { type Gate, gatekeeper } from "#shared/domain/windows/gate.ts";
import type { Snapshot } from "./snapshot.ts";

/** A fleet in one line. */
export type FleetSummary = Readonly<{
  /** `namespace/name`. */
  key: string;
  /** What its condition says, or how far its plan is. */
  message: string;
  total: number;
  ended: number;
  bar: readonly BarPart[];
  /** Why clusters failed, are incomplete, wait or cannot be reached. */
  reasons: readonly ReasonGroup[];
}>;

/** Returns `namespace/name` of a fleet. */
export const fleetKey = ({ namespace, name }: Pick<FleetStatus, "namespace" | "name">) =>
  `${namespace}/${name}`;

/** Returns a fleet in one line. */
export function summaryOf(status: FleetStatus): FleetSummary {
  const { total, ended, clusters } = status;
  return {
    key: fleetKey(status),
    message: fleetMessage(status),
    total,
    ended,
    bar: barOf(clusters),
    reasons: reasonsOf(clusters),
  };
}

/** A ClusterGroupUpgrade that is pre-cached. */
export type Fleet = Readonly<{ cgu: KubernetesObject; status: FleetStatus }>;

/** Returns the fleets that hubrelay pre-caches. */
export function fleetsOf(snapshot: Snapshot): readonly Fleet[] {
  const sources = fleetSources(snapshot.list);
  return sources.upgrades.flatMap((cgu) => {
    const status = fleetStatus(cgu, sources.reports, snapshot.now, sources);
    return status ? [{ cgu, status }] : [];
  });
}

/** Returns the status of a fleet with its forecast, also for a time by which its clusters should have their images. */
export function withForecastOf({ cgu, status }: Fleet, snapshot: Snapshot, by?: Date): FleetStatus {
  return withForecast(status, cgu, fleetSources(snapshot.list), snapshot.now, by, snapshot.forecastOf);
}

/** The gate of each cluster of an upgrade. */
export type FleetGates = (cluster: string) => Gate;

/** Returns a function that returns the gates of a fleet, as the functions decide them. */
export function gatesOfFleets({ list, now }: Snapshot): (fleet: Fleet) => FleetGates {
  const gate = gatekeeper(list(kinds.MaintenanceWindow), ({ allow }) => allow.preCaching, { now });
  const labelsOf = labelsByCluster(list(kinds.ManagedCluster));
  const configs = list(kinds.PreCachingConfig);
  return ({ cgu }) => {
    const referrers = [cgu, ...configsOf(cgu, configs)];
    return (cluster) => gate(referrers, labelsOf(cluster));
  };
}

/** Returns all fleets, those with something left to do first. */
export function fleetsByUrgency(snapshot: Snapshot): readonly Fleet[] {
  const isOver = ({ status: { ended, total } }: Fleet) => Number(ended === total);
  return fleetsOf(snapshot).toSorted((a, b) => isOver(a) - isOver(b));
}

/** Returns the coverage of the fleets: plans follow from policies and releases, which the console does not read. */
export function coverageOfFleets(fleets: readonly Fleet[]): Coverage {
  const planned = fleets.filter(({ cgu }) => !isOver(cgu));
  return coverageOf({
    read: countedKinds(fleets.map(({ cgu }) => cgu)),
    unread:
      planned.length > 0
        ? [{ what: "policies and releases of an upgrade", why: "not-checked", count: planned.length }]
        : [],
    assumed: [],
  });
}
