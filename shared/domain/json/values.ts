export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Reports whether a value is a JSON object: a map of fields, not null and not a list. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the fields of a JSON object; none of any other value. */
export function fieldsOf(value: unknown): UnknownRecord {
  return isRecord(value) ? value : {};
}

/** Returns the items of a list; none of any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the JSON objects in a list, without its other items. */
export function objectsOf(value: unknown): readonly UnknownRecord[] {
  return listOf(value).filter(isRecord);
}

/**
 * Returns what a record itself holds under a name from outside. `record[name]` also finds what every object inherits:
 * `constructor`, `valueOf`, `__proto__`.
 */
export function ownValue<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
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

/** Returns a text that is not empty; undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Parses JSON; undefined for any other text. The parser's own message would quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the first items of a list for a message, with the number of the others: `a, b and 3 more`. */
export function someOf(items: readonly string[], max = 5): string {
  const more = items.length - max;
  return more > 0 ? `${items.slice(0, max).join(", ")} and ${more} more` : items.join(", ");
}
