import { isSameJson } from "../json/same-json.ts";
import { isRecord } from "../json/values.ts";
import type { Schema } from "./schema.ts";

/** The stored value that a new one takes the place of; undefined: there is none, or it cannot be told which. */
export type Stored = Readonly<{ value: unknown }> | undefined;

/** The stored field that this field replaces. */
export function storedField(stored: Stored, name: string): Stored {
  if (!stored || !isRecord(stored.value) || !Object.hasOwn(stored.value, name)) return undefined;
  return { value: stored.value[name] };
}

const keyOf = (item: unknown, keys: readonly string[]) =>
  isRecord(item) ? JSON.stringify(keys.map((key) => item[key] ?? null)) : undefined;

/** The stored item that this item replaces: only lists with keys tell, all others are replaced as a whole. */
export function storedItem(stored: Stored, schema: Schema<unknown>, item: unknown): Stored {
  const { listType, listMapKeys = [] } = schema;
  if (!stored || listType !== "map" || !Array.isArray(stored.value)) return undefined;
  const key = keyOf(item, listMapKeys);
  const found = key === undefined ? undefined : stored.value.find((old) => keyOf(old, listMapKeys) === key);
  return found === undefined ? undefined : { value: found };
}

/** True when the new value is what is stored: then the API server lets it pass, right or wrong. */
export function isUnchanged(value: unknown, stored: Stored): boolean {
  return stored !== undefined && isSameJson(value, stored.value);
}
