import type { KubernetesObject } from "../kubernetes/object.ts";
import { type AccessEnd, remainingSeconds, soonest } from "../ready/access-ends.ts";
import { readReadiness } from "../ready/record/readiness-report.ts";
import {
  type HeldObjects,
  heldObjects,
  type ObjectsWithErrors,
  objectsWithErrors,
} from "./reported-objects.ts";
import type { UpgradeMetrics, UpgradeSources } from "./upgrade-metrics.ts";

/** What a fleet is measured from. */
export type FleetSources = UpgradeSources &
  Readonly<{
    /** The Events that hubrelay has written. */
    events: readonly KubernetesObject[];
  }>;

/** A fleet in numbers, bounded however large it is. */
export type FleetMetrics = Readonly<{
  upgrades: readonly UpgradeMetrics[];
  held: readonly HeldObjects[];
  errors: readonly ObjectsWithErrors[];
  /** For how many seconds certificates, bundles and tokens for registries last, as reports have them. */
  access: readonly (Pick<AccessEnd, "what" | "name"> & Readonly<{ remainingSeconds: number }>)[];
}>;

/** Returns a fleet in numbers, with those of its upgrades: whether what people use hubrelay for will happen. */
export function fleetMetrics(
  { events, windows, readiness }: Pick<FleetSources, "events" | "windows" | "readiness">,
  upgrades: readonly UpgradeMetrics[],
  now: Date,
): FleetMetrics {
  return {
    upgrades,
    held: heldObjects(events, windows, now),
    errors: objectsWithErrors(events),
    access: soonest(readiness.flatMap((report) => readReadiness(report).accessEnds)).map((end) => ({
      what: end.what,
      name: end.name,
      remainingSeconds: remainingSeconds(end, now),
    })),
  };
}
