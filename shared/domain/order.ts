/**
 * Compares two strings by UTF-16 code unit, the order that Go's byte order gives for ASCII. Never use
 * `localeCompare` for anything that is rendered: its answer depends on the machine.
 */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
