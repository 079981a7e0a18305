import { textOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds, withoutManagedFields } from "#shared/domain/kubernetes/object.ts";
import { functionLabel } from "#shared/domain/plan/object-events.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { remainingSeconds, soonest } from "#shared/domain/ready/access-ends.ts";
import { readReadiness } from "#shared/domain/ready/record/readiness-report.ts";
import { holdReasons } from "#shared/domain/windows/hold-reasons.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { FleetMetrics, Log, UpgradeMetrics } from "#shared/ports/log.ts";
import { describeError } from "#shared/ports/port-error.ts";
import { type UpgradeSources, upgradeMetrics } from "./upgrade-metrics.ts";

/** Returns the number of seconds that the oldest held change has waited; 0 if no Event is about a held change. */
export function heldSeconds(events: readonly KubernetesObject[], now: Date): number {
  const sinces = events
    .filter(({ reason }) => holdReasons.has(reason))
    .map(({ firstTimestamp }) => Date.parse(textOf(firstTimestamp) ?? "") || now.getTime());
  return Math.floor((now.getTime() - Math.min(now.getTime(), ...sinces)) / 1000);
}

type FleetSources = UpgradeSources & Readonly<{ events: readonly KubernetesObject[] }>;

const intervalMs = 5 * 60_000;

/** Only metrics depend on these lists, so they may come from the API server's cache. */
const options = { fromCache: true, keep: withoutManagedFields } as const;

async function observeFleet(hub: HubReader): Promise<FleetSources> {
  const [events, upgrades] = await Promise.all([
    hub.list(kinds.Event, { ...options, withLabel: functionLabel }),
    hub.list(kinds.ClusterGroupUpgrade, options),
  ]);
  const isPlanned = upgrades.some((cgu) => plannedUpgrade(cgu)?.isOver === false);
  const [windows, configs, reports, readiness, managedClusters] = isPlanned
    ? await Promise.all([
        hub.list(kinds.MaintenanceWindow, options),
        hub.list(kinds.PreCachingConfig, options),
        hub.list(kinds.PreCachingReport, options),
        hub.list(kinds.ReadinessReport, options),
        hub.list(kinds.ManagedCluster, { ...options, metadataOnly: true }),
      ])
    : [[], [], [], [], []];
  return { events, upgrades, windows, configs, reports, readiness, managedClusters };
}

const otherWork = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A forecast takes up to a second, so other work of the process runs after each upgrade. */
async function measureFleet(sources: FleetSources, now: Date): Promise<FleetMetrics> {
  const upgrades: UpgradeMetrics[] = [];
  for (const upgrade of upgradeMetrics(sources, now)) {
    upgrades.push(upgrade);
    await otherWork();
  }
  const { events, readiness } = sources;
  const accessEnds = soonest(readiness.flatMap((report) => readReadiness(report).accessEnds));
  const access = accessEnds.map((end) => ({
    what: end.what,
    name: end.name,
    remainingSeconds: remainingSeconds(end, now),
  }));
  return { upgrades, heldSeconds: heldSeconds(events, now), access };
}

/** Logs the metrics of a fleet. An error is logged instead of thrown, because only alerts depend on the metrics. */
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

/** Logs the metrics of a fleet every five minutes, until the signal aborts. */
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
