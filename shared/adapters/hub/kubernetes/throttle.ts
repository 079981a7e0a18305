const elapsedMs = () => performance.now();

/**
 * Keeps what was read, and answers it again to whoever asks within so many milliseconds; those who ask while it is
 * being read get the same. A reading that failed is not kept.
 */
export function throttle<Value>(
  restMs: number,
  read: () => Promise<Value> | Value,
  now: () => number = elapsedMs,
): () => Promise<Value> {
  let kept: Readonly<{ value: Promise<Value>; atMs: number }> | undefined;
  return async () => {
    if (kept && now() - kept.atMs < restMs) return kept.value;
    const reading = { value: Promise.try(read), atMs: now() };
    kept = reading;
    try {
      return await reading.value;
    } catch (error) {
      if (kept === reading) kept = undefined;
      throw error;
    }
  };
}
