import { isRecord, isSameJson, ownValue } from "../json/values.ts";
import type { Schema } from "./schema.ts";

/** The stored value that a new one replaces; undefined when there is none or it is ambiguous. */
export type Stored = Readonly<{ value: unknown }> | undefined;

/** Returns the stored field that this field replaces. */
export function storedField(stored: Stored, name: string): Stored {
  if (!stored || !isRecord(stored.value) || !Object.hasOwn(stored.value, name)) return undefined;
  return { value: ownValue(stored.value, name) };
}

const keyOf = (item: unknown, keys: readonly string[]) =>
  isRecord(item) ? JSON.stringify(keys.map((key) => ownValue(item, key) ?? null)) : undefined;

/** Returns the stored item that this item replaces; lists without keys are replaced as a whole. */
export function storedItem(stored: Stored, schema: Schema<unknown>, item: unknown): Stored {
  const { listType, listMapKeys = [] } = schema;
  if (!stored || listType !== "map" || !Array.isArray(stored.value)) return undefined;
  const key = keyOf(item, listMapKeys);
  const found = key === undefined ? undefined : stored.value.find((old) => keyOf(old, listMapKeys) === key);
  return found === undefined ? undefined : { value: found };
}

/** Reports whether the new value equals the stored one: the API server then accepts it, valid or not. */
export function isUnchanged(value: unknown, stored: Stored): boolean {
  return stored !== undefined && isSameJson(value, stored.value);
}
