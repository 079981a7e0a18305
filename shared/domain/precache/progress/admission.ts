/** A group of clusters that share something scarce, and how many of them may pull at the same time. */
export type Limit = Readonly<{
  /** For people: `maxConcurrency`, `site north`, … */
  name: string;
  most: number;
  /** Places that are taken by clusters outside of this CGU. */
  takenElsewhere?: number;
  isIn(cluster: string): boolean;
}>;

/** Which clusters may start, and for each other what it waits for. */
export type Admission = Readonly<{
  admitted: readonly string[];
  waiting: ReadonlyMap<string, string>;
}>;

/**
 * Gives the free places to the waiting clusters in their order. A cluster whose own group is full does not hold up
 * those behind it. Pure: whoever writes the answer with the version that it was made from has the only answer.
 */
export function admit(
  waiting: readonly string[],
  holding: readonly string[],
  limits: readonly Limit[],
): Admission {
  const free = new Map(
    limits.map((limit) => [
      limit,
      limit.most - (limit.takenElsewhere ?? 0) - holding.filter(limit.isIn).length,
    ]),
  );
  const admitted: string[] = [];
  const reasons = new Map<string, string>();
  for (const cluster of waiting) {
    const own = limits.filter((limit) => limit.isIn(cluster));
    const full = own.find((limit) => (free.get(limit) ?? 0) <= 0);
    if (full) {
      reasons.set(cluster, `Waits for a place: ${full.name} allows ${full.most} at a time.`);
      continue;
    }
    for (const limit of own) free.set(limit, (free.get(limit) ?? 0) - 1);
    admitted.push(cluster);
  }
  return { admitted, waiting: reasons };
}
