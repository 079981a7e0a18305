import { LRUCache } from "lru-cache";
import { joined } from "../ports/registry.ts";

/** A cache with a maximum size and a lifetime for each value. The least recently used value is removed first. */
export type BoundedCache<Value> = Readonly<{
  /**
   * Returns the cached value. If it is absent or expired, calls `make` once for all concurrent callers. A failure is
   * not cached.
   */
  get(key: string, make: (expired: Value | undefined) => Promise<Value>): Promise<Value>;
  /** Returns the cached value. Undefined if it is absent or expired. */
  peek(key: string): Promise<Value> | undefined;
  forget(key: string): void;
}>;

export type CacheOptions<Value> = Readonly<{
  /** The maximum number of values or, with `sizeOf`, the maximum sum of their sizes. */
  capacity: number;
  sizeOf?: (value: Value) => number;
  /** How long a value may be used, in milliseconds. By default forever. */
  lifetimeMs?: (value: Value) => number;
  now?: () => number;
}>;

export function boundedCache<Value>({
  capacity,
  sizeOf = () => 1,
  lifetimeMs = () => Number.POSITIVE_INFINITY,
  now = Date.now,
}: CacheOptions<Value>): BoundedCache<Value> {
  type Entry = Readonly<{ value: Promise<Value>; until: number; made?: Value }>;
  const cached = new LRUCache<string, Entry>({ maxSize: capacity });

  function fresh(key: string): Promise<Value> | undefined {
    const found = cached.get(key);
    return found && found.until > now() ? found.value : undefined;
  }

  async function get(key: string, make: (expired: Value | undefined) => Promise<Value>): Promise<Value> {
    const found = fresh(key);
    if (found) return joined(found, () => get(key, make));
    const expired = cached.get(key);
    const startedMs = now();
    const value = make(expired?.made);
    const pending: Entry = { value, until: Number.POSITIVE_INFINITY };
    cached.set(key, pending, { size: 1 });
    try {
      const made = await value;
      const entry = { value, until: startedMs + lifetimeMs(made), made };
      if (cached.peek(key) === pending) cached.set(key, entry, { size: sizeOf(made) });
      return made;
    } catch (error) {
      if (cached.peek(key) === pending) cached.delete(key);
      if (expired?.made !== undefined) cached.set(key, expired, { size: sizeOf(expired.made) });
      throw error;
    }
  }

  return { get, peek: fresh, forget: (key) => void cached.delete(key) };
}
