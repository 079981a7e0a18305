import { kinds } from "#shared/domain/kubernetes/object.ts";
import { configurePool, poolNamed } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import { labelsByCluster } from "#shared/domain/precache-model/planned-upgrade.ts";
import { configsOf } from "#shared/domain/precache-model/upgrade-spec.ts";
import { isOver } from "#shared/domain/precache-plan/plan-all.ts";
import type { ReadyStatus } from "#shared/domain/ready/judge.ts";
import { type FleetReadiness, withReadiness } from "#shared/domain/ready/record/fleet-readiness.ts";
import { openingFinder } from "#shared/domain/windows/gate.ts";
import { type Fleet, fleetKey, fleetsByUrgency } from "./fleet-summaries.ts";
import { nodeConfiguration, type Place, type PlacesOf, placesByFiles } from "./mirrors/node-configuration.ts";
import type { Query, Snapshot } from "./snapshot.ts";

/** An image that is not ready, according to the last check. */
export type LackingImage = FleetReadiness["notReady"][number];

/** Images with the same locations, in the order in which nodes try them. */
export type LackingPlace = Readonly<{ places: readonly Place[]; images: readonly LackingImage[] }>;

/** The states of an upgrade's readiness, the most urgent first. */
export const readyStates = ["not ready", "unknown", "ready", "not checked"] as const;
export type ReadyState = (typeof readyStates)[number];

/** An upgrade that is not completed, with its images that are not ready. */
export type ReadyUpgrade = Readonly<{
  key: string;
  state: ReadyState;
  clusters: number;
  /** The next opening in which one of its clusters may pull; undefined if no window restricts them. */
  opens: Date | undefined;
  /** The function's report; undefined if it does not check the upgrade. */
  readiness: FleetReadiness | undefined;
  lacking: readonly LackingPlace[];
}>;

/** How many upgrades are in each state. */
export type ReadyCounts = readonly Readonly<{ state: ReadyState; count: number }>[];

export type ReadyView = Readonly<{
  total: number;
  counts: ReadyCounts;
  state: ReadyState | undefined;
  upgrades: readonly ReadyUpgrade[];
}>;

const stateOf = (readiness: FleetReadiness | undefined): ReadyState => {
  if (!readiness) return "not checked";
  if (readiness.ready === "True") return readiness.stale ? "unknown" : "ready";
  return readiness.ready === "False" ? "not ready" : "unknown";
};

const workers = "worker";

/** Returns a function that finds an image's locations for worker nodes by the hub's rules; none if these are refused. */
function placesByRules(snapshot: Snapshot): PlacesOf {
  const { input, configuration } = nodeConfiguration(snapshot, workers);
  if (configuration.refused) return () => [];
  const pools = snapshot.list(kinds.MachineConfigPool);
  const { files } = configurePool(poolNamed(pools, workers), input, configuration);
  return placesByFiles(files);
}

function lackingOf(images: readonly LackingImage[], placesOf: PlacesOf): readonly LackingPlace[] {
  const found = images.map((image) => ({ image, places: placesOf(image.image) }));
  const groups = Map.groupBy(found, ({ places }) => JSON.stringify(places));
  return [...groups.values()]
    .map((some) => ({ places: some[0]?.places ?? [], images: some.map(({ image }) => image) }))
    .sort((a, b) => b.images.length - a.images.length);
}

function openingsOf({ list, now }: Snapshot): (fleet: Fleet) => Date | undefined {
  const nextOpening = openingFinder(list(kinds.MaintenanceWindow), now);
  const labelsOf = labelsByCluster(list(kinds.ManagedCluster));
  const configs = list(kinds.PreCachingConfig);
  return ({ cgu, status }) => {
    const referrers = [cgu, ...configsOf(cgu, configs)];
    const openings = status.clusters.flatMap(
      ({ name }) => nextOpening(referrers, labelsOf(name))?.getTime() ?? [],
    );
    return openings.length > 0 ? new Date(openings.reduce((first, one) => Math.min(first, one))) : undefined;
  };
}

/** Upgrades that need a person come first, then the earliest opening. */
function byUrgency(a: ReadyUpgrade, b: ReadyUpgrade): number {
  const timeOf = ({ opens }: ReadyUpgrade) => opens?.getTime() ?? 0;
  return readyStates.indexOf(a.state) - readyStates.indexOf(b.state) || timeOf(a) - timeOf(b);
}

type CheckedUpgrade = Readonly<{ fleet: Fleet; readiness: FleetReadiness | undefined }>;

function checkedUpgrades(snapshot: Snapshot, fleets: readonly Fleet[]): readonly CheckedUpgrade[] {
  const reports = snapshot.list(kinds.ReadinessReport);
  return fleets
    .filter(({ cgu }) => !isOver(cgu))
    .map((fleet) => ({ fleet, readiness: withReadiness(fleet.status, reports, snapshot.now).readiness }));
}

function countsOf(all: readonly CheckedUpgrade[], chosen?: ReadyState): ReadyCounts {
  return readyStates.flatMap((state) => {
    const count = all.filter(({ readiness }) => stateOf(readiness) === state).length;
    return count > 0 || state === chosen ? [{ state, count }] : [];
  });
}

/** Returns the number of upgrades in each state; completed ones do not count. */
export const readyCounts = (snapshot: Snapshot, fleets: readonly Fleet[]): ReadyCounts =>
  countsOf(checkedUpgrades(snapshot, fleets));

/** Returns the upgrades that are not completed, with the images that nodes cannot pull yet, grouped by locations. */
export function readyView(snapshot: Snapshot, { state }: Query): ReadyView {
  const opensOf = openingsOf(snapshot);
  const checked = checkedUpgrades(snapshot, fleetsByUrgency(snapshot));
  const isLacking = checked.some(({ readiness }) => readiness && readiness.notReady.length > 0);
  const placesOf: PlacesOf = isLacking ? placesByRules(snapshot) : () => [];
  const all = checked
    .map(({ fleet, readiness }): ReadyUpgrade => {
      return {
        key: fleetKey(fleet.status),
        state: stateOf(readiness),
        clusters: fleet.status.total,
        opens: opensOf(fleet),
        readiness,
        lacking: lackingOf(readiness?.notReady ?? [], placesOf),
      };
    })
    .toSorted(byUrgency);
  const chosen = readyStates.find((one) => one === state);
  return {
    total: all.length,
    counts: countsOf(checked, chosen),
    state: chosen,
    upgrades: chosen ? all.filter((upgrade) => upgrade.state === chosen) : all,
  };
}

/** Returns the number of images in each status, in the order of the images. */
export function statusCounts(images: readonly LackingImage[]): readonly (readonly [ReadyStatus, number])[] {
  return [...Map.groupBy(images, ({ status }) => status)].map(([status, some]) => [status, some.length]);
}
