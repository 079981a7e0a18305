import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import type { Opening } from "#shared/domain/windows/openings.ts";
import { type Fleet, type FleetGates, fleetsOf, gatesOfFleets, withForecastOf } from "./fleet-summaries.ts";
import type { Snapshot } from "./snapshot.ts";

/** A cluster that has not all of its images yet. */
export type WaitingCluster = Readonly<{
  /** When it has its images, as the forecast expects; undefined when unknown. */
  end: Date | undefined;
  /** What it has left to pull; undefined until a cluster has reported the size. */
  bytes: number | undefined;
}>;

/** What waits for an opening, and whether it fits into it. */
export type OpeningLoad = Readonly<{
  /** The clusters that do not have their images when it opens. */
  clusters: number;
  /** Those that have them when it closes. */
  fitting: number;
  /** Those of which that is not known. */
  unknown: number;
  /** What they have left to pull, at most; undefined when no cluster has reported the size. */
  bytes: number | undefined;
}>;

/** All clusters of an upgrade pull the same: one that has not reported its size has that of the others. */
function waitingOf(
  fleet: Fleet,
  gates: FleetGates,
  snapshot: Snapshot,
): readonly (readonly [string, WaitingCluster])[] {
  const { clusters } = fleet.status;
  const restricted = clusters.flatMap((cluster) => {
    const { windows } = isFinalState(cluster.state) ? { windows: [] } : gates(cluster.name);
    return windows.length > 0 ? [{ cluster, windows }] : [];
  });
  // A forecast takes as long as all the rest.
  const { forecast } = restricted.length > 0 ? withForecastOf(fleet, snapshot) : fleet.status;
  const ends = new Map(forecast?.byCluster.map(({ name, expectedEnd }) => [name, expectedEnd]));
  const usual = clusters.reduce((most, { bytesTotal = 0 }) => Math.max(most, bytesTotal), 0);
  return restricted.flatMap(({ cluster: { name, bytesDone = 0, bytesTotal = usual }, windows }) => {
    const end = ends.get(name);
    const one = {
      end: end ? new Date(end) : undefined,
      bytes: bytesTotal > 0 ? Math.max(0, bytesTotal - bytesDone) : undefined,
    };
    return windows.map((window) => [window, one] as const);
  });
}

/** Returns the clusters that pull only in openings of a window, by the name of the window. */
export function waitingByWindow(snapshot: Snapshot): ReadonlyMap<string, readonly WaitingCluster[]> {
  const gatesOf = gatesOfFleets(snapshot);
  const all = fleetsOf(snapshot).flatMap((fleet) => waitingOf(fleet, gatesOf(fleet), snapshot));
  const byWindow = Map.groupBy(all, ([window]) => window);
  return new Map([...byWindow].map(([window, some]) => [window, some.map(([, cluster]) => cluster)]));
}

/** Returns what waits for an opening of these clusters. */
export function loadOf({ start, end }: Opening, waiting: readonly WaitingCluster[]): OpeningLoad {
  const left = waiting.filter((one) => one.end === undefined || one.end >= start);
  const sizes = left.flatMap(({ bytes }) => bytes ?? []);
  return {
    clusters: left.length,
    fitting: left.filter((one) => one.end !== undefined && one.end <= end).length,
    unknown: left.filter((one) => one.end === undefined).length,
    bytes: sizes.length > 0 ? sizes.reduce((sum, bytes) => sum + bytes, 0) : undefined,
  };
}
