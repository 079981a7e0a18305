import fc from "fast-check";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";

/** Names that every object inherits, or that mean something to the language. */
export const inheritedNames: readonly string[] = [
  ...Object.getOwnPropertyNames(Object.prototype).sort(byCodeUnit),
  "length",
  "prototype",
  "then",
  "toJSON",
];

/**
 * Any character of Unicode. The unit "binary" of fast-check is the same, but writes a table of all of them for each
 * string of it, which takes two seconds.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
