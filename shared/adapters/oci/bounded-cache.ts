/** A cache with expiry and a maximum size; the least recently used value is evicted. */
export type BoundedCache<Value> = Readonly<{
  /**
   * Returns the cached value of the key, or a new one; concurrent callers share one request. A failure is not cached.
   */
  get(key: string, make: () => Promise<Value>): Promise<Value>;
  /** Returns the cached value, if any. */
  peek(key: string): Promise<Value> | undefined;
  forget(key: string): void;
}>;

/** Creates a cache for `capacity` values. `lifetimeMs` returns how long a value may be cached; Infinity: always. */
export function boundedCache<Value>({
  capacity,
  lifetimeMs,
  now,
}: Readonly<{
  capacity: number;
  lifetimeMs: (value: Value) => number;
  now: () => number;
}>): BoundedCache<Value> {
  const cached = new Map<string, Readonly<{ value: Promise<Value>; until: () => number }>>();

  function peek(key: string): Promise<Value> | undefined {
    const found = cached.get(key);
    cached.delete(key);
    if (!found || found.until() <= now()) return undefined;
    cached.set(key, found);
    return found.value;
  }

  return {
    peek,

    async get(key, make) {
      const found = peek(key);
      if (found) return found;
      const startedMs = now();
      let until = Number.POSITIVE_INFINITY;
      const value = make();
      const entry = { value, until: () => until };
      cached.set(key, entry);
      for (const oldest of cached.keys()) {
        if (cached.size <= capacity) break;
        cached.delete(oldest);
      }
      try {
        until = startedMs + lifetimeMs(await value);
      } catch (error) {
        if (cached.get(key) === entry) cached.delete(key);
        throw error;
      }
      return value;
    },
    forget(key) {
      cached.delete(key);
    },
  };
}
