import { LRUCache } from "lru-cache";
import { joined } from "../../ports/registry.ts";

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
  type Entry = Readonly<{ value: Promise<Value>; until: () => number }>;
  const cached = new LRUCache<string, Entry>({ max: capacity });

  function peek(key: string): Promise<Value> | undefined {
    const found = cached.get(key);
    return found && found.until() > now() ? found.value : undefined;
  }

  async function get(key: string, make: () => Promise<Value>): Promise<Value> {
    const found = peek(key);
    if (found) return joined(found, () => get(key, make));
    const startedMs = now();
    let until = Number.POSITIVE_INFINITY;
    const value = make();
    const entry = { value, until: () => until };
    cached.set(key, entry);
    try {
      until = startedMs + lifetimeMs(await value);
    } catch (error) {
      if (cached.get(key) === entry) cached.delete(key);
      throw error;
    }
    return value;
  }

  return {
    peek,
    get,
    forget(key) {
      cached.delete(key);
    },
  };
}
