/** Control characters of both sets, and those that turn the direction of text or hide it. */
const controls = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const escaped = (text: string): string =>
  [...text].map((unit) => `\\u${(unit.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`).join("");

/**
 * A text that somebody else has written, as it may go to a terminal: what would move the cursor, recolour or turn the
 * text is shown as an escape (`\u001b`) instead.
 */
export function printable(text: string): string {
  return text.replace(controls, escaped);
}

/** The same for a text of several lines: ends of lines and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(controls, (unit) => (unit === "\n" || unit === "\t" ? unit : escaped(unit)));
}
