import { readField } from "../issues/field.ts";
import type { Issue } from "../issues/issue.ts";
import type { LabelSelector } from "../kubernetes/label-selector.ts";
import { type KubernetesObject, namespaceOf } from "../kubernetes/object.ts";
import type { Cost } from "../plan/cost.ts";
import type { Schedule } from "./schedule.ts";
import { type AtEnd, type Exclusion, windowSpec } from "./window-spec.ts";
import type { Zone } from "./zone.ts";

/** A valid `MaintenanceWindow` of `hubrelay.dev/v1alpha1`. */
export type MaintenanceWindow = Readonly<{
  namespace: string;
  name: string;
  schedule: Schedule;
  zone: Zone;
  /** The length of an opening in elapsed milliseconds, even if the clock changes meanwhile. */
  duration: number;
  exclusions: readonly Exclusion[];
  allow: Readonly<{
    preCaching: boolean;
    /** The highest cost that a mirror change may have while the window is open. Keys are names of pools. */
    maxCost: ReadonlyMap<string, Cost>;
  }>;
  atEnd: AtEnd;
}>;

export type ReadWindow = Readonly<{
  window?: MaintenanceWindow;
  /** The clusters that the window selects, even if it is invalid; absent if only annotations assign the window. */
  clusterSelector?: LabelSelector;
  issues: readonly Issue[];
}>;

/** Reads a MaintenanceWindow. With an error, the result has no window: a partial one could be open at wrong times. */
export function readMaintenanceWindow(object: KubernetesObject): ReadWindow {
  const { value: spec, issues } = readField(object, "spec", object.spec ?? {}, windowSpec);
  if (!spec) return { issues };
  const {
    schedule,
    timeZone: zone,
    duration,
    exclusions = [],
    clusterSelector,
    allow,
    atEnd = "Suspend",
  } = spec;
  const { preCaching = true, maxCost = new Map() } = allow ?? {};
  const selection = clusterSelector ? { clusterSelector } : {};
  if (!schedule || !zone || duration === undefined || issues.length > 0) return { ...selection, issues };
  const window: MaintenanceWindow = {
    namespace: namespaceOf(object),
    name: object.metadata.name,
    schedule,
    zone,
    duration,
    exclusions,
    atEnd,
    allow: { preCaching, maxCost },
  };
  return { window, ...selection, issues: [] };
}
