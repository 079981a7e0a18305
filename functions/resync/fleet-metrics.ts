import { fieldsOf, textOf } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { remainingSeconds, soonest } from "#shared/domain/ready/access-ends.ts";
import { readReadiness } from "#shared/domain/ready/record/readiness-report.ts";
import { waitedForAnnotation } from "#shared/domain/windows/cost-window.ts";
import { nameOf } from "#shared/domain/windows/gate.ts";
import { holdReasons } from "#shared/domain/windows/hold-reasons.ts";
import { type MaintenanceWindow, readMaintenanceWindow } from "#shared/domain/windows/maintenance-window.ts";
import { openingsBefore } from "#shared/domain/windows/openings.ts";
import type { FleetMetrics, HeldChanges, UpgradeMetrics } from "#shared/ports/fleet-metrics.ts";
import type { UpgradeSources } from "./upgrade-metrics.ts";

/** Further openings are not counted: the number of so many says enough. */
const maxOpenings = 10;

/** Returns the windows whose openings could have let a held change through: the one it waits for, or all of its kind. */
function windowsOf(
  { metadata }: KubernetesObject,
  kind: HeldChanges["kind"],
  windows: readonly MaintenanceWindow[],
): readonly MaintenanceWindow[] {
  const waitsFor = metadata.annotations?.[waitedForAnnotation];
  if (waitsFor !== undefined) return windows.filter((window) => nameOf(window) === waitsFor);
  return windows.filter(({ allow }) =>
    kind === "HostedCluster" ? allow.hostedClusterCost !== undefined : allow.maxCost.size > 0,
  );
}

function passedOpenings(window: MaintenanceWindow, since: Date, now: Date): number {
  return openingsBefore(window, since, now, maxOpenings).filter(
    ({ start, end }) => start >= since && end <= now,
  ).length;
}

/** Returns the changes that are held, by the kind of what they are held for. */
export function heldChanges(
  events: readonly KubernetesObject[],
  windowObjects: readonly KubernetesObject[],
  now: Date,
): readonly HeldChanges[] {
  const windows = windowObjects.flatMap((object) => readMaintenanceWindow(object).window ?? []);
  const holds = events.filter(({ reason }) => holdReasons.has(reason));
  return (["MachineConfigPool", "HostedCluster"] as const).map((kind): HeldChanges => {
    const ofKind = holds.filter(({ involvedObject }) => fieldsOf(involvedObject).kind === kind);
    const sinces = ofKind.map((event) => ({
      event,
      since: new Date(Date.parse(textOf(event.firstTimestamp) ?? "") || now),
    }));
    const openings = sinces.flatMap(({ event, since }) =>
      windowsOf(event, kind, windows).map((window) => passedOpenings(window, since, now)),
    );
    const oldest = Math.min(now.getTime(), ...sinces.map(({ since }) => since.getTime()));
    return {
      kind,
      oldestSeconds: Math.floor((now.getTime() - oldest) / 1000),
      openings: Math.max(0, ...openings),
    };
  });
}

/** What a fleet is measured from. */
export type FleetSources = UpgradeSources &
  Readonly<{
    /** The Events that hubrelay has written. */
    events: readonly KubernetesObject[];
  }>;

/** Returns a fleet in numbers, with those of its upgrades: whether what people use hubrelay for will happen. */
export function fleetMetrics(
  { events, windows, readiness }: Pick<FleetSources, "events" | "windows" | "readiness">,
  upgrades: readonly UpgradeMetrics[],
  now: Date,
): FleetMetrics {
  return {
    upgrades,
    held: heldChanges(events, windows, now),
    access: soonest(readiness.flatMap((report) => readReadiness(report).accessEnds)).map((end) => ({
      what: end.what,
      name: end.name,
      remainingSeconds: remainingSeconds(end, now),
    })),
  };
}
