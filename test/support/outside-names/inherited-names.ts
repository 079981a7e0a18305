import { byCodeUnit } from "#shared/domain/json/values.ts";

/** Names that every object inherits, or that mean something to the language. */
export const inheritedNames: readonly string[] = [
  ...Object.getOwnPropertyNames(Object.prototype).sort(byCodeUnit),
  "length",
  "prototype",
  "then",
  "toJSON",
];
