const elapsedMs = () => performance.now();

/**
 * Returns a function that reads at most once per interval: further and concurrent calls get the same value. A failed
 * read is not kept: the next call reads again.
 */
export function cachedRead<Value>(
  intervalMs: number,
  read: () => Promise<Value> | Value,
  now: () => number = elapsedMs,
): () => Promise<Value> {
  let last: Readonly<{ value: Promise<Value>; atMs: number }> | undefined;
  return async () => {
    if (last && now() - last.atMs < intervalMs) return last.value;
    const reading = { value: (async () => read())(), atMs: now() };
    last = reading;
    try {
      return await reading.value;
    } catch (error) {
      if (last === reading) last = undefined;
      throw error;
    }
  };
}
