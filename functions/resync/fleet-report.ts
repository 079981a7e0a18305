import { kinds, withoutManagedFields } from "#shared/domain/kubernetes/object.ts";
import { functionLabel } from "#shared/domain/plan/object-events.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import type { FleetMetrics, UpgradeMetrics } from "#shared/ports/fleet-metrics.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Log } from "#shared/ports/log.ts";
import { describeError } from "#shared/ports/port-error.ts";
import { type FleetSources, fleetMetrics } from "./fleet-metrics.ts";
import { upgradeMetrics } from "./upgrade-metrics.ts";

const intervalMs = 5 * 60_000;

/** Nothing is decided from these lists: they may be as old as the API server's cache. */
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
  return { hubId: hub.id, events, upgrades, windows, configs, reports, readiness, managedClusters };
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

/** Logs what the fleet looks like. An error is logged too: nothing depends on these numbers but alerts. */
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

/** Logs what the fleet looks like every five minutes until the signal aborts. */
export async function reportFleetUntil(
  signal: AbortSignal,
  {
    delay,
    ...options
  }: Parameters<typeof reportFleet>[0] &
    Readonly<{
      /** Waits for the next report, or until the signal aborts. */
      delay(ms: number): Promise<void>;
    }>,
): Promise<void> {
  while (!signal.aborted) {
    await reportFleet(options);
    await delay(intervalMs);
  }
}
