import { textOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds, withoutManagedFields } from "#shared/domain/kubernetes/object.ts";
import { functionLabel } from "#shared/domain/plan/object-events.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { remainingSeconds, soonest } from "#shared/domain/ready/access-ends.ts";
import { readReadiness } from "#shared/domain/ready/record/readiness-report.ts";
import { waitedForAnnotation } from "#shared/domain/windows/cost-window.ts";
import { nameOf } from "#shared/domain/windows/gate.ts";
import { holdReasons } from "#shared/domain/windows/hold-reasons.ts";
import { type MaintenanceWindow, readMaintenanceWindow } from "#shared/domain/windows/maintenance-window.ts";
import { openingsBefore } from "#shared/domain/windows/openings.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { FleetMetrics, HeldChanges, Log, UpgradeMetrics } from "#shared/ports/log.ts";
import { describeError } from "#shared/ports/port-error.ts";
import { type UpgradeSources, upgradeMetrics } from "./upgrade-metrics.ts";

/** Alerts need no higher number of openings. */
const maxOpenings = 10;

/** Returns the windows that could have allowed a held change: the one it waits for, or all that allow changes of pools. */
function windowsOf(
  { metadata }: KubernetesObject,
  windows: readonly MaintenanceWindow[],
): readonly MaintenanceWindow[] {
  const waitsFor = metadata.annotations?.[waitedForAnnotation];
  if (waitsFor !== undefined) return windows.filter((window) => nameOf(window) === waitsFor);
  return windows.filter(({ allow }) => allow.maxCost.size > 0);
}

function passedOpenings(window: MaintenanceWindow, since: Date, now: Date): number {
  return openingsBefore(window, since, now, maxOpenings).filter(
    ({ start, end }) => start >= since && end <= now,
  ).length;
}

/** Returns the age of the oldest held change, and the highest number of openings that held changes have missed. */
export function heldChanges(
  events: readonly KubernetesObject[],
  windowObjects: readonly KubernetesObject[],
  now: Date,
): HeldChanges {
  const windows = windowObjects.flatMap((object) => readMaintenanceWindow(object).window ?? []);
  const sinces = events
    .filter(({ reason }) => holdReasons.has(reason))
    .map((event) => ({ event, since: new Date(Date.parse(textOf(event.firstTimestamp) ?? "") || now) }));
  const openings = sinces.flatMap(({ event, since }) =>
    windowsOf(event, windows).map((window) => passedOpenings(window, since, now)),
  );
  const oldest = Math.min(now.getTime(), ...sinces.map(({ since }) => since.getTime()));
  return {
    oldestSeconds: Math.floor((now.getTime() - oldest) / 1000),
    openings: Math.max(0, ...openings),
  };
}

type FleetSources = UpgradeSources &
  Readonly<{
    events: readonly KubernetesObject[];
  }>;

function fleetMetrics(
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

const intervalMs = 5 * 60_000;

/** Only metrics follow from these lists, so they may be as old as the API server's cache. */
const options = { fromCache: true, keep: withoutManagedFields } as const;

/** Reads three lists, and four more while an upgrade is planned. */
async function observeFleet(hub: HubReader): Promise<FleetSources> {
  const [events, upgrades, windows] = await Promise.all([
    hub.list(kinds.Event, { ...options, withLabel: functionLabel }),
    hub.list(kinds.ClusterGroupUpgrade, options),
    hub.list(kinds.MaintenanceWindow, options),
  ]);
  const isPlanned = upgrades.some((cgu) => plannedUpgrade(cgu)?.isOver === false);
  const [configs, reports, readiness, managedClusters] = isPlanned
    ? await Promise.all([
        hub.list(kinds.PreCachingConfig, options),
        hub.list(kinds.PreCachingReport, options),
        hub.list(kinds.ReadinessReport, options),
        hub.list(kinds.ManagedCluster, { ...options, metadataOnly: true }),
      ])
    : [[], [], [], []];
  return { events, upgrades, windows, configs, reports, readiness, managedClusters };
}

const otherWork = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Measures one upgrade at a time: the process may lead and serve queues, and a forecast takes up to a second. */
async function measureFleet(sources: FleetSources, now: Date): Promise<FleetMetrics> {
  const upgrades: UpgradeMetrics[] = [];
  for (const upgrade of upgradeMetrics(sources, now)) {
    upgrades.push(upgrade);
    await otherWork();
  }
  return fleetMetrics(sources, upgrades, now);
}

/** Logs the metrics of a fleet. An error is logged too: only alerts depend on these numbers. */
export async function reportFleet({
  hub,
  log,
  now,
}: Readonly<{ hub: HubReader; log: Log; now(): Date }>): Promise<void> {
  try {
    log({ event: "fleet-measured", ...(await measureFleet(await observeFleet(hub), now())) });
  } catch (error) {
    const delaySeconds = intervalMs / 1000;
    log({ event: "retry", key: "fleet", error: describeError(error), delaySeconds, attempt: 1 });
  }
}

/** Logs the metrics of a fleet every five minutes until the signal aborts. */
export async function reportFleetUntil(
  signal: AbortSignal,
  {
    delay,
    ...options
  }: Parameters<typeof reportFleet>[0] &
    Readonly<{
      /** Resolves when the next report is due, or when the signal aborts. */
      delay(ms: number): Promise<void>;
    }>,
): Promise<void> {
  while (!signal.aborted) {
    await reportFleet(options);
    await delay(intervalMs);
  }
}
