import { redact } from "./redact.ts";

/** C0 and C1 control characters, and characters that change the direction of text or are invisible. */
const controls = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const escaped = (unit: string): string => `\\u${(unit.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/** Returns text of several lines for people: escapes control characters (`\u001b`), but keeps line breaks and tabs. */
export function visibleText(text: string): string {
  return text.replace(controls, (unit) => (unit === "\n" || unit === "\t" ? unit : escaped(unit)));
}

/** Returns text for people on one line: escapes control characters, and removes what looks like a credential. */
export function visibleLine(text: string): string {
  return redact(text).replace(controls, escaped);
}
