import { ownValue } from "../../kubernetes/json/values.ts";
import { type KubernetesObject, withAnnotation } from "../../kubernetes/object.ts";
import { isFinalState } from "../../precache-model/cluster-state.ts";
import { plannedUpgrade } from "../../precache-model/planned-upgrade.ts";
import type { Clock } from "../../windows/clock.ts";
import {
  annotatedWindows,
  gateAt,
  type NamedWindow,
  namedWindows,
  nameOf,
  selectedWindows,
  windowAnnotation,
} from "../../windows/gate.ts";
import type { WindowSources } from "../held-back.ts";

/** A set of windows; one open window is enough. */
export type WindowChoice = readonly NamedWindow[];

/** A cluster that no window selects is not restricted, and one that has failed is not rolled out. */
function choicesOfClusters(
  cgu: KubernetesObject,
  managedClusters: readonly KubernetesObject[],
  windows: readonly NamedWindow[],
): readonly WindowChoice[] {
  const { clusters = [], states = {} } = plannedUpgrade(cgu) ?? {};
  const rolledOut = new Set(
    clusters.filter(
      (cluster) => ownValue(states, cluster) === "Succeeded" || !isFinalState(ownValue(states, cluster)),
    ),
  );
  const choices = new Map<string, WindowChoice>();
  for (const { metadata } of managedClusters) {
    const selected = rolledOut.has(metadata.name) ? selectedWindows(metadata.labels, windows) : [];
    if (selected.length > 0) choices.set(selected.map(nameOf).join(), selected);
  }
  return [...choices.values()];
}

/** Returns a ClusterGroupUpgrade as one whose annotation names these windows. */
export function naming(cgu: KubernetesObject, names: string): KubernetesObject {
  return withAnnotation(cgu, windowAnnotation, names);
}

/**
 * Returns the windows that a rollout waits for: those in `names`, otherwise those for pre-caching, from the
 * annotation of the ClusterGroupUpgrade, of its PreCachingConfig, or by the labels of the planned clusters
 * that have not failed. One window of each choice has to be open at the same time.
 */
export function rolloutChoices(
  cgu: KubernetesObject,
  names: string | undefined,
  { windows, configs, managedClusters }: WindowSources,
): readonly WindowChoice[] {
  const all = namedWindows(windows);
  const named = [names ? naming(cgu, names) : cgu, ...configs]
    .map((windowReferrer) => annotatedWindows(windowReferrer, all))
    .find((some) => some !== undefined);
  return named ? [named] : choicesOfClusters(cgu, managedClusters, all);
}

/** The number of openings tried until every choice is open. */
const maxTried = 120;

/**
 * Returns the first moment from now on at which every choice has an open window; undefined when there is none among the
 * next openings, and by a clock that disagrees with the hub's. `allow` has no effect here, because it is about pre-caching and mirrors.
 */
export function commonOpening(choices: readonly WindowChoice[], clock: Clock): Date | undefined {
  let at = clock.now;
  for (let tried = 0; tried < maxTried; tried++) {
    const closed = choices
      .map((choice) => gateAt(choice, () => true, { ...clock, now: at }))
      .find((gate) => !gate.isOpen);
    if (!closed) return at;
    if (!closed.opensAt) return undefined;
    at = closed.opensAt;
  }
  return undefined;
}
