/** Answers that are kept for a while: at most so many, the least recently used goes first. */
export type BoundedCache<Value> = Readonly<{
  /** The kept value of the key, or a new one; those who ask at the same time share one answer. A failure is not kept. */
  get(key: string, make: () => Promise<Value>): Promise<Value>;
  /** The kept value, if there is one. */
  peek(key: string): Promise<Value> | undefined;
  forget(key: string): void;
}>;

/** A cache for `capacity` values. `lifetimeMs` says of a value how long it may be kept; Infinity: always. */
export function boundedCache<Value>({
  capacity,
  lifetimeMs,
  now,
}: Readonly<{
  capacity: number;
  lifetimeMs: (value: Value) => number;
  now: () => number;
}>): BoundedCache<Value> {
  const kept = new Map<string, Readonly<{ value: Promise<Value>; until: () => number }>>();

  function peek(key: string): Promise<Value> | undefined {
    const found = kept.get(key);
    kept.delete(key);
    if (!found || found.until() <= now()) return undefined;
    kept.set(key, found);
    return found.value;
  }

  return {
    peek,

    async get(key, make) {
      const found = peek(key);
      if (found) return found;
      const asked = now();
      let until = Number.POSITIVE_INFINITY;
      const value = make();
      const entry = { value, until: () => until };
      kept.set(key, entry);
      for (const oldest of kept.keys()) {
        if (kept.size <= capacity) break;
        kept.delete(oldest);
      }
      try {
        until = asked + lifetimeMs(await value);
      } catch (error) {
        if (kept.get(key) === entry) kept.delete(key);
        throw error;
      }
      return value;
    },
    forget(key) {
      kept.delete(key);
    },
  };
}
