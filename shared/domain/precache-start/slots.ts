import { sentence } from "../text/redact.ts";

/** How many clusters that share a resource, such as a site or registry, may pull at the same time. */
export type Limit = Readonly<{
  /** The limit's name in messages: `maxConcurrency`, `site north`, … */
  name: string;
  max: number;
  /** The number of slots that clusters of other ClusterGroupUpgrades use. */
  takenElsewhere?: number;
}>;

/** Returns the limits that apply to a cluster. A limit that several clusters share is the same object for all of them. */
export type LimitsOf = (cluster: string) => readonly Limit[];

/** The slots of an upgrade's clusters. */
export type Slots = Readonly<{
  isFull(limit: Limit): boolean;
  /** Counts the slot of a cluster that has one already, even if the cluster's limits are full. */
  hold(cluster: string): void;
  /** Gives a cluster a slot and returns undefined; if a limit is full, returns that limit instead. */
  take(cluster: string): Limit | undefined;
  /** Releases the slot of a cluster, and returns those of its limits that now have a free slot. */
  release(cluster: string): readonly Limit[];
}>;

/** Returns the slots of an upgrade, all of them free. */
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

/** Returns the text of a limit for messages. */
export const limitText = ({ name, max }: Limit): string => sentence`${name} allows ${max} at a time`;

/** Returns the sentence that says for which limit a cluster waits. */
export const slotReason = (limit: Limit): string => sentence`Waits for a slot: ${limitText(limit)}.`;

/** The clusters that get a slot, and why each other cluster waits. */
export type Admission = Readonly<{
  admitted: readonly string[];
  waiting: ReadonlyMap<string, string>;
}>;

/**
 * Gives the free slots to the waiting clusters in their order. A cluster whose limit is full does not block later clusters.
 * This writes nothing: if two processes decide at once, the resourceVersion lets only one of them write its decision.
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
