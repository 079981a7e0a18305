/**
 * Compares two strings by UTF-16 code unit, the order that Go's byte order gives for ASCII. Never use
 * `localeCompare` for rendered output: its result depends on the machine.
 */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Compares two strings by code point, which is the order of their UTF-8 bytes: Go's order of strings, also where
 * `byCodeUnit` differs (beyond U+FFFF).
 */
export function byCodePoint(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at < 0) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? -1) - (right[at]?.codePointAt(0) ?? -1);
}
