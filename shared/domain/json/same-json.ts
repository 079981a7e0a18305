import { isRecord, ownValue } from "./values.ts";

/** Reports whether two JSON values are equal: the order of object keys is ignored, that of lists is not. */
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

/** Returns the items without those that have the same JSON text as an earlier one. */
export function withoutRepeats<Item>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
