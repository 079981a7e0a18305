import { allWatches } from "#functions/watches.ts";
import { type Kind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { Watches } from "#shared/runtime/controller.ts";

/** The kinds of a function. It requires those in `besides` as soon as the hub serves the kinds that it watches. */
export type NeededKinds = Pick<Watches, "name" | "kinds" | "required"> &
  Readonly<{ besides?: readonly Kind[] }>;

const besides: Readonly<Record<string, readonly Kind[]>> = {
  "precache-plan": [kinds.ManagedCluster, kinds.Policy],
  "precache-status": [kinds.ManifestWork, kinds.PreCachingReport],
};

/** The kinds that a hub has to serve, by function. */
export const neededKinds: readonly NeededKinds[] = allWatches.map((watches) => {
  const more = besides[watches.name];
  return more ? { ...watches, besides: more } : watches;
});
