import { sentence } from "../text/redact.ts";

/** How many clusters of a group that shares a resource may pull at the same time. */
export type Limit = Readonly<{
  /** For people: `maxConcurrency`, `site north`, … */
  name: string;
  max: number;
  /** Slots taken by clusters of other CGUs. */
  takenElsewhere?: number;
}>;

/** Returns the limits that apply to a cluster: the same object for every cluster of a group. */
export type LimitsOf = (cluster: string) => readonly Limit[];

/** The slots of an upgrade's clusters. */
export type Slots = Readonly<{
  isFull(limit: Limit): boolean;
  /** Counts a cluster that has a slot, even beyond the limits. */
  hold(cluster: string): void;
  /** Gives a cluster a slot; without a free one, returns the first limit that allows no more. */
  take(cluster: string): Limit | undefined;
  /** Takes the slot of a cluster back, and returns the limits that allow another one now. */
  release(cluster: string): readonly Limit[];
}>;

/** Returns slots that no cluster of the upgrade holds yet. */
export function freeSlots(limitsOf: LimitsOf): Slots {
  const used = new Map<Limit, number>();
  const isFull = (limit: Limit) => limit.max - (limit.takenElsewhere ?? 0) - (used.get(limit) ?? 0) <= 0;
  const count = (cluster: string, change: number) => {
    const limits = limitsOf(cluster);
    for (const limit of limits) used.set(limit, (used.get(limit) ?? 0) + change);
    return limits;
  };
  return {
    isFull,
    hold: (cluster) => {
      count(cluster, 1);
    },
    take(cluster) {
      const full = limitsOf(cluster).find(isFull);
      if (!full) count(cluster, 1);
      return full;
    },
    release: (cluster) => count(cluster, -1).filter((limit) => !isFull(limit)),
  };
}

/** Returns what a limit allows, for people. */
export const limitText = ({ name, max }: Limit): string => sentence`${name} allows ${max} at a time`;

/** Returns why a cluster waits for a slot. */
export const slotReason = (limit: Limit): string => sentence`Waits for a slot: ${limitText(limit)}.`;

/** The clusters that may start, and for each other cluster what it waits for. */
export type Admission = Readonly<{
  admitted: readonly string[];
  waiting: ReadonlyMap<string, string>;
}>;

/**
 * Gives the free slots to the waiting clusters in their order. A cluster whose own group is full does not block those
 * behind it. Pure: two concurrent results are resolved by the resourceVersion of the write.
 */
export function admit(waiting: readonly string[], holding: readonly string[], limitsOf: LimitsOf): Admission {
  const slots = freeSlots(limitsOf);
  for (const cluster of holding) slots.hold(cluster);
  const admitted: string[] = [];
  const reasons = new Map<string, string>();
  for (const cluster of waiting) {
    const full = slots.take(cluster);
    if (full) reasons.set(cluster, slotReason(full));
    else admitted.push(cluster);
  }
  return { admitted, waiting: reasons };
}
