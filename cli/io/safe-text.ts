import { styleText } from "node:util";

/** Control characters of both sets, and those that turn the direction of text or hide it. */
const controls = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const escaped = (unit: string): string => `\\u${(unit.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

type Colour = Parameters<typeof styleText>[0];
type Piece = Readonly<{ text: string; colour?: Colour }>;

/**
 * Text that may go to a terminal. What comes from objects, messages and files is escaped in it (`\u001b` for what would
 * move the cursor, recolour or turn the text); colours are hubrelay's own. Only the functions of this file make it, and
 * `print` takes nothing else.
 */
class SafeText {
  readonly #pieces: readonly Piece[];

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /** The number of characters, without colours. */
  get width(): number {
    return this.toString().length;
  }

  /** The text without colours. */
  toString(): string {
    return this.#pieces.map(({ text }) => text).join("");
  }

  /** The text for a stream: with colours only where the stream is a terminal. */
  for(stream: NodeJS.WriteStream): string {
    return this.#pieces
      .map(({ text, colour }) => (colour ? styleText(colour, text, { stream }) : text))
      .join("");
  }

  static joined(parts: readonly SafeText[]): SafeText {
    return new SafeText(parts.flatMap((part) => part.#pieces));
  }
}

export type { SafeText };

type Value = string | number | SafeText | readonly SafeText[];

/** Returns a text without line breaks of its own, escaped. */
const oneLine = (text: string): string => text.replace(controls, escaped);

function textOf(value: Value): SafeText {
  if (value instanceof SafeText) return value;
  if (typeof value === "string" || typeof value === "number")
    return new SafeText([{ text: oneLine(String(value)) }]);
  return SafeText.joined(value);
}

/** A template whose values are escaped: `` safe`${name}: ${painted("green", "ok")}\n` ``. */
export function safe(literals: TemplateStringsArray, ...values: readonly Value[]): SafeText {
  return SafeText.joined(
    literals.flatMap((literal, index) => {
      const value = values[index];
      return [verbatim(literal), ...(value === undefined ? [] : [textOf(value)])];
    }),
  );
}

/** Returns the texts with another between them. */
export function joined(parts: readonly SafeText[], separator: SafeText): SafeText {
  return SafeText.joined(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part])));
}

/** Returns a text of several lines: its line breaks and tabs stay, everything else is escaped. */
export function lines(text: string): SafeText {
  return new SafeText([
    { text: text.replace(controls, (unit) => (unit === "\n" || unit === "\t" ? unit : escaped(unit))) },
  ]);
}

/** Returns a text in a colour; escaped, and without line breaks. */
export function painted(colour: Colour, text: string): SafeText {
  return new SafeText([{ text: oneLine(text), colour }]);
}

/** Returns a machine's format (JSON, YAML, rendered files) as it is, byte by byte; never text for a person. */
export function verbatim(text: string): SafeText {
  return new SafeText([{ text }]);
}

/** Writes a text; the only way from a command to a person's terminal. */
export function print(text: SafeText, stream: NodeJS.WriteStream = process.stdout): void {
  stream.write(text.for(stream));
}

/** Writes a message and a line break to standard error. */
export function printError(text: SafeText): void {
  print(safe`${text}\n`, process.stderr);
}
