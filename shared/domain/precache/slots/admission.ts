import { sentence } from "../../credentials/redact.ts";
/** A group of clusters that share a resource, and how many of them may pull at the same time. */
export type Limit = Readonly<{
  /** For people: `maxConcurrency`, `site north`, … */
  name: string;
  max: number;
  /** Slots taken by clusters of other CGUs. */
  takenElsewhere?: number;
  isIn(cluster: string): boolean;
}>;

/** The clusters that may start, and for each other cluster what it waits for. */
export type Admission = Readonly<{
  admitted: readonly string[];
  waiting: ReadonlyMap<string, string>;
}>;

/**
 * Gives the free slots to the waiting clusters in their order. A cluster whose own group is full does not block those
 * behind it. Pure: two concurrent results are resolved by the resourceVersion of the write.
 */
export function admit(
  waiting: readonly string[],
  holding: readonly string[],
  limits: readonly Limit[],
): Admission {
  const free = new Map(
    limits.map((limit) => [
      limit,
      limit.max - (limit.takenElsewhere ?? 0) - holding.filter(limit.isIn).length,
    ]),
  );
  const admitted: string[] = [];
  const reasons = new Map<string, string>();
  for (const cluster of waiting) {
    const own = limits.filter((limit) => limit.isIn(cluster));
    const full = own.find((limit) => (free.get(limit) ?? 0) <= 0);
    if (full) {
      reasons.set(cluster, sentence`Waits for a slot: ${full.name} allows ${full.max} at a time.`);
      continue;
    }
    for (const limit of own) free.set(limit, (free.get(limit) ?? 0) - 1);
    admitted.push(cluster);
  }
  return { admitted, waiting: reasons };
}
