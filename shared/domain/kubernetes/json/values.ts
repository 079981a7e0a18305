import { readJson } from "./nesting.ts";

export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Reports whether a value is a JSON object: a map of fields, not null and not a list. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the fields of a JSON object; empty for any other value. */
export function fieldsOf(value: unknown): UnknownRecord {
  return isRecord(value) ? value : {};
}

/** Returns the items of a list; empty for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns those items of a list that are JSON objects. */
export function objectsOf(value: unknown): readonly UnknownRecord[] {
  return listOf(value).filter(isRecord);
}

/** Returns a record's own field. `record[name]` would also find inherited members, such as `constructor`. */
export function ownValue<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Returns the first result of `resultOf` that is not undefined. Later items are not evaluated. */
export function firstResult<Item, Result>(
  items: Iterable<Item>,
  resultOf: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const result = resultOf(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

export function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Returns the index of the first item that is not a string, or -1. */
export function firstNonString(list: readonly unknown[]): number {
  return list.findIndex((item) => typeof item !== "string");
}

/** Returns the name of a value's type for a message: `a list`, `a number`, … */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Returns the value if it is a non-empty text, otherwise undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** Returns a text with the first items of a list and the number of further items: `a, b and 3 more`. */
export function someOf(items: readonly string[], max = 5): string {
  const more = items.length - max;
  return more > 0 ? `${items.slice(0, max).join(", ")} and ${more} more` : items.join(", ");
}

/** Compares by UTF-16 code unit. Never use `localeCompare` for output: its result depends on the machine. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares two strings by code point, which is Go's order of strings for all characters. */
export function byCodePoint(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at < 0) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? -1) - (right[at]?.codePointAt(0) ?? -1);
}

/** Reports whether two JSON values are equal. The order of object keys is ignored, the order of list items counts. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameJson(ownValue(a, key), ownValue(b, key)))
  );
}

/** Returns the items without repeats. Items with equal JSON texts count as repeats. */
export function withoutRepeats<Item>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/**
 * Reports whether a value's JSON would have more than `limit` characters; an escaped character counts as one. The JSON
 * is not rendered: it repeats the value of each YAML alias, and may not fit into memory.
 */
export function isLongerThan(value: unknown, limit: number): boolean {
  let rest = limit;
  const fits = (one: unknown): boolean => {
    if (typeof one === "string") rest -= one.length + 2;
    else if (Array.isArray(one)) {
      rest -= one.length + 1;
      return rest >= 0 && one.every(fits);
    } else if (isRecord(one)) {
      rest -= 2;
      for (const [key, inner] of Object.entries(one)) {
        rest -= key.length + 4;
        if (rest < 0 || !fits(inner)) return false;
      }
    } else rest -= String(one).length;
    return rest >= 0;
  };
  return !fits(value);
}
