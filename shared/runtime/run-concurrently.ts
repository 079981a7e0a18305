/**
 * Does the work for each item, at most so many at a time, beginning in their order. After a failure nothing more is
 * begun; what is under way ends first, and then the first failure is thrown.
 */
export async function runConcurrently<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (const item of waiting)
      try {
        if (failures.length > 0) return;
        await work(item);
      } catch (error) {
        failures.push(error);
      }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
}
