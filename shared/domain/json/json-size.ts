import { isRecord } from "./values.ts";

/**
 * Reports whether a value takes more than this many characters as JSON, without writing it: aliases of YAML share one
 * text, and written out they can be larger than the memory. Escaped characters count as one.
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
