import { interests } from "#functions/interests.ts";
import { type Kind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { Interest } from "#shared/runtime/reaction.ts";

/** The kinds of a function: `besides` are those without which it cannot work as soon as the hub has what wakes it. */
export type NeededKinds = Pick<Interest, "name" | "kinds" | "required"> &
  Readonly<{ besides?: readonly Kind[] }>;

const besides: Readonly<Record<string, readonly Kind[]>> = {
  "precache-plan": [kinds.ManagedCluster, kinds.Policy],
  "precache-status": [kinds.ManifestWork, kinds.PreCachingReport],
};

/** What the functions need a hub to serve. */
export const neededKinds: readonly NeededKinds[] = interests.map((interest) => {
  const more = besides[interest.name];
  return more ? { ...interest, besides: more } : interest;
});
