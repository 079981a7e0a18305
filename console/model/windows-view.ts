import { explanation } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import { waitingPools } from "#shared/domain/windows/cost-window.ts";
import { type Opening, openingsBefore } from "#shared/domain/windows/openings.ts";
import { allowedText, listWindow } from "#shared/domain/windows/validate-windows.ts";
import type { Zone } from "#shared/domain/windows/zone.ts";
import { type Fleet, type FleetGates, fleetsOf, gatesOfFleets, withForecastOf } from "./fleet-summaries.ts";
import type { Query, Snapshot } from "./snapshot.ts";

const day = 24 * 60 * 60 * 1000;
/** Number of days in the calendar: two weeks, and one day more because the calendar may begin yesterday. */
const days = 15;
/** Maximum number of past openings, and also of coming openings. A viewer could not distinguish more. */
const maxOpenings = 400;
const listedOpenings = 5;

/** A coming opening, and what waits for it. */
export type NextOpening = Opening &
  Readonly<{
    load: OpeningLoad;
    changes: readonly string[];
  }>;

/** A time in which no opening starts. */
export type Freeze = Opening & Readonly<{ reason: string }>;

export type WindowRow = Readonly<{
  key: string;
  isSelected: boolean;
  isOpen: boolean;
  zone: Zone | undefined;
  /** What may be done while the window is open. `nothing` for an invalid window. */
  allows: string;
  /** The errors of an invalid window, which never opens; undefined for a valid window. */
  problem: string | undefined;
  openings: readonly Opening[];
  freezes: readonly Freeze[];
  /** The next openings in the calendar. If there are none, the first opening after the calendar. */
  next: readonly NextOpening[];
}>;

export type WindowsView = Readonly<{
  now: Date;
  /** The first midnight of the calendar, in UTC. */
  from: Date;
  /** The last midnight of the calendar, in UTC. */
  to: Date;
  windows: readonly WindowRow[];
  /** The name in the address, if there is no such window; otherwise undefined. */
  missing: string | undefined;
}>;

function heldByWindow({ list }: Snapshot): (window: string) => readonly string[] {
  const held = waitingPools(list(kinds.Event));
  return (window) => (held.get(window) ?? []).map((name) => `MachineConfigPool ${name}`);
}

/** Returns the content of the page about windows: their openings in two weeks. */
export function windowsView(snapshot: Snapshot, { window: named }: Query): WindowsView {
  const { now, list } = snapshot;
  const from = new Date(Math.floor((now.getTime() - day / 2) / day) * day);
  const to = new Date(from.getTime() + days * day);
  const waiting = waitingByWindow(snapshot);
  const heldFor = heldByWindow(snapshot);
  const windows = list(kinds.MaintenanceWindow).map((object): WindowRow => {
    const { namespace, name, window, openings: soonest, issues } = listWindow(object, now, 1);
    const key = `${namespace}/${name}`;
    const errors = issues.filter(({ severity }) => severity === "error");
    const past = window ? openingsBefore(window, from, now, maxOpenings).filter(({ end }) => end <= now) : [];
    const coming = window ? openingsBefore(window, now, to, maxOpenings) : [];
    const freezes = (window?.exclusions ?? []).flatMap(({ from: first, to: last, reason = "" }): Freeze[] => {
      const start = window?.zone.instantOf(Date.parse(first));
      const end = window?.zone.instantOf(Date.parse(last) + day);
      return start && end && start < to && end > from ? [{ start, end, reason }] : [];
    });
    const listed = coming.length > 0 ? coming.slice(0, listedOpenings) : soonest;
    return {
      key,
      isSelected: key === named,
      isOpen: coming.some(({ start }) => start <= now),
      zone: window?.zone,
      allows: window ? allowedText(window) : "nothing",
      problem:
        errors.length > 0
          ? errors.map((issue) => `${issue.path}: ${explanation(issue)}`).join(" ")
          : undefined,
      openings: [...past, ...coming],
      freezes,
      next: listed.map((opening, index) => ({
        ...opening,
        load: loadOf(opening, waiting.get(key) ?? []),
        changes: index === 0 ? heldFor(key) : [],
      })),
    };
  });
  const isMissing = named !== undefined && !windows.some(({ isSelected }) => isSelected);
  return { now, from, to, windows, missing: isMissing ? named : undefined };
}

/** A cluster that does not have all of its images yet. */
export type WaitingCluster = Readonly<{
  /** When the cluster is expected to have its images; undefined if unknown. */
  end: Date | undefined;
  /** The bytes that the cluster still has to pull; undefined if unknown. */
  bytes: number | undefined;
}>;

/** The clusters that wait for an opening, and how many of them can finish in it. */
export type OpeningLoad = Readonly<{
  /** The number of clusters that do not have their images when the opening begins. */
  clusters: number;
  /** How many of the clusters have their images when the opening ends. */
  fitting: number;
  /** How many of the clusters have no forecast. */
  unknown: number;
  /** The bytes that the clusters still have to pull; undefined if unknown. */
  bytes: number | undefined;
}>;

/** An unknown size counts as the largest known size in the fleet. */
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
  // A forecast is computed only if a cluster waits for a window: it takes as long as everything else together.
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

/** Returns the clusters that may pull images only in openings of a window, by window. Keys are `namespace/name`. */
export function waitingByWindow(snapshot: Snapshot): ReadonlyMap<string, readonly WaitingCluster[]> {
  const gatesOf = gatesOfFleets(snapshot);
  const all = fleetsOf(snapshot).flatMap((fleet) => waitingOf(fleet, gatesOf(fleet), snapshot));
  const byWindow = Map.groupBy(all, ([window]) => window);
  return new Map([...byWindow].map(([window, some]) => [window, some.map(([, cluster]) => cluster)]));
}

/** Returns how many of these clusters wait for an opening, and how many can finish in it. */
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
