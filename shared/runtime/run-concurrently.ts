import pMap from "p-map";

/** Runs `work` for the items, at most `concurrency` at once. Unlike p-map, waits for running work before it throws. */
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
