import { readsAsString } from "./go-yaml-plain.ts";

type Style = "plain" | "single" | "double" | "literal";

/** yaml.v3 escapes these characters. It treats no character beyond the basic plane as printable. */
const unprintable = /[^\n\u0020-\u007E\u00A0-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD]/u;
const lineBreak = /[\r\n\u0085\u2028\u2029]/;
/** Text that would start another construct, or end this one, outside quotes. */
const indicators =
  /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t]|$))|:(?:[ \t]|$)|[ \t\r\n\u0085\u2028\u2029]#/;
const outerSpace = /^[ \r\n\u0085\u2028\u2029]|[ \r\n\u0085\u2028\u2029]$/;
const spaceBeforeBreak = / [\r\n\u0085\u2028\u2029]/;
const spaceAfterBreak = /[\r\n\u0085\u2028\u2029] /;

function styleOf(text: string, isSimpleKey: boolean): Style {
  const hasSpecials = unprintable.test(text.replaceAll("\t", "")) || spaceBeforeBreak.test(text);
  if (text.includes("\n")) {
    return hasSpecials || text.endsWith(" ") || isSimpleKey ? "double" : "literal";
  }
  if (!readsAsString(text)) return "double";
  if (!hasSpecials && !text.includes("\t")) {
    if (!indicators.test(text) && !outerSpace.test(text) && !lineBreak.test(text)) return "plain";
    if (!spaceAfterBreak.test(text)) return "single";
  }
  return "double";
}

const shortEscapes: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\u001B": "\\e",
  '"': '\\"',
  "\\": "\\\\",
  "\u0085": "\\N",
  "\u00A0": "\\_",
  "\u2028": "\\L",
  "\u2029": "\\P",
};

function escaped(character: string): string {
  const short = shortEscapes[character];
  if (short) return short;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
}

function doubleQuoted(text: string): string {
  // After a leading byte order mark the original escapes all characters.
  const escapesAll = text.startsWith("\uFEFF");
  const body = Array.from(text, (character) =>
    escapesAll || unprintable.test(character) || lineBreak.test(character) || /["\\]/.test(character)
      ? escaped(character)
      : character,
  );
  return `"${body.join("")}"`;
}

/** Returned without the line feed after the last line: the writer of the next line adds it. */
function literal(text: string, indent: number): string {
  const indentHint = /^[ \r\n\u0085\u2028\u2029]/.test(text) ? "4" : "";
  const endsWithBreak = lineBreak.test(text.slice(-1));
  const chomping = !endsWithBreak ? "-" : text.length === 1 || lineBreak.test(text.slice(-2, -1)) ? "+" : "";
  const pad = " ".repeat(indent);
  const lines = text.replace(/[^\r\n\u0085\u2028\u2029]+/g, (line) => pad + line);
  return `|${indentHint}${chomping}\n${lines.replace(/\n$/, "")}`;
}

/** Reports whether the text can be a key before `:`; other keys need a line of their own, after `?`. */
export function isSimpleKey(text: string): boolean {
  return new TextEncoder().encode(text).length <= 128 && !lineBreak.test(text);
}

/** Returns a key that `isSimpleKey`, in the style that yaml.v3 chooses for it. */
export function writeKey(text: string): string {
  return inStyle(text, styleOf(text, true), 0);
}

/** Returns a string as a value; the lines of a literal block are indented by `indent`. */
export function writeString(text: string, indent: number): string {
  return inStyle(text, styleOf(text, false), indent);
}

function inStyle(text: string, style: Style, indent: number): string {
  if (style === "literal") return literal(text, indent);
  if (style === "double") return doubleQuoted(text);
  return style === "single" ? `'${text.replaceAll("'", "''")}'` : text;
}
