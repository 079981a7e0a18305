import pMap from "p-map";

/**
 * Runs `work` for the items in order, at most `concurrency` at a time. After a failure, starts no further work, waits
 * for the running work, and throws the first failure. p-map alone would throw at once, while work still runs.
 */
export async function runConcurrently<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const unlessFailed = async (item: Item): Promise<void> => {
    if (failures.length > 0) return;
    try {
      await work(item);
    } catch (error) {
      failures.push(error);
    }
  };
  await pMap(items, unlessFailed, { concurrency });
  if (failures.length > 0) throw failures[0];
}
