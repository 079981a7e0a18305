import { ownValue } from "./values.ts";

const shortEscapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\u000b": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** Matches the characters that Go escapes in a quoted text. */
const unprintable = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Matches most texts in which Go escapes nothing. It is tried first: V8 compiles `unprintable` slowly. */
const plain = /^[ !#-[\]-~]*$/;

/** Quotes text like Go's `%q`, as in messages of machine-config-operator. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  const escaped = text.toWellFormed().replace(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    const short = ownValue(shortEscapes, character);
    if (short) return short;
    if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
    return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
  });
  return `"${escaped}"`;
}
