/**
 * Runs `work` for each item, at most `concurrency` at a time, starting in their order. After a failure nothing more is
 * started; running work ends first, and then the first failure is thrown.
 */
export async function runConcurrently<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const item of waiting)
      try {
        if (failures.length > 0) return;
        await work(item);
      } catch (error) {
        failures.push(error);
      }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
