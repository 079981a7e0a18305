import { styleText } from "node:util";
import { visibleLine, visibleText } from "#shared/domain/text/redact.ts";

type Colour = Parameters<typeof styleText>[0];
type Piece = Readonly<{ text: string; colour?: Colour }>;

/** The colour of each severity, the same in every command. */
export const severityColours = { error: "red", warning: "yellow" } as const satisfies Record<string, Colour>;

/**
 * Text that is safe to write to a terminal: control characters are escaped, and credentials are removed. Only the
 * functions of this file create it, and `print` accepts nothing else.
 */
class SafeText {
  readonly #pieces: readonly Piece[];

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /** The number of characters. Colours do not count. */
  get width(): number {
    return this.toString().length;
  }

  toString(): string {
    return this.#pieces.map(({ text }) => text).join("");
  }

  /** Returns the text to write to this stream: with colours only if the stream is a terminal. */
  for(stream: NodeJS.WriteStream): string {
    return this.#pieces
      .map(({ text, colour }) => (colour ? styleText(colour, text, { stream }) : text))
      .join("");
  }

  words(): readonly SafeText[] {
    const words: Piece[][] = [[]];
    for (const { text, colour } of this.#pieces) {
      const [first = "", ...others] = text.split(/ +/);
      words.at(-1)?.push({ text: first, ...(colour && { colour }) });
      for (const other of others) words.push([{ text: other, ...(colour && { colour }) }]);
    }
    return words.map((pieces) => new SafeText(pieces)).filter(({ width }) => width > 0);
  }

  /** Returns the text with at most this many characters. If it is cut, it ends with `…`. */
  cut(width: number): SafeText {
    if (this.width <= width) return this;
    let left = Math.max(0, width - 1);
    const pieces = this.#pieces.flatMap(({ text, ...rest }) => {
      const part = text.slice(0, left);
      left -= part.length;
      return part === "" ? [] : [{ text: part, ...rest }];
    });
    return new SafeText(width > 0 ? [...pieces, { text: "…" }] : []);
  }

  static joined(parts: readonly SafeText[]): SafeText {
    return new SafeText(parts.flatMap((part) => part.#pieces));
  }
}

export type { SafeText };

type Value = string | number | SafeText | readonly SafeText[];

function textOf(value: Value): SafeText {
  if (value instanceof SafeText) return value;
  if (typeof value === "string" || typeof value === "number")
    return new SafeText([{ text: visibleLine(String(value)) }]);
  return SafeText.joined(value);
}

/** Renders a template and escapes its values: `` safe`${name}: ${painted("green", "ok")}\n` ``. */
export function safe(literals: TemplateStringsArray, ...values: readonly Value[]): SafeText {
  return SafeText.joined(
    literals.flatMap((literal, index) => {
      const value = values[index];
      return [verbatim(literal), ...(value === undefined ? [] : [textOf(value)])];
    }),
  );
}

/** Joins the texts with a separator. */
export function joined(parts: readonly SafeText[], separator: SafeText): SafeText {
  return SafeText.joined(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part])));
}

/** Returns a text of several lines. Line breaks and tabs stay; other control characters are escaped. */
export function lines(text: string): SafeText {
  return new SafeText([{ text: visibleText(text) }]);
}

/** Returns an escaped text on one line, in this colour. */
export function painted(colour: Colour, text: string): SafeText {
  return new SafeText([{ text: visibleLine(text), colour }]);
}

/** Returns machine-readable output (JSON, YAML, rendered files) unescaped. Never use it for text from objects. */
export function verbatim(text: string): SafeText {
  return new SafeText([{ text }]);
}

/** The control sequence that clears a terminal. */
export const clearScreen = verbatim("\u001b[H\u001b[2J");

/** Writes a text to standard output or another stream. */
export function print(text: SafeText, stream: NodeJS.WriteStream = process.stdout): void {
  stream.write(text.for(stream));
}

/** Writes a line to standard error. */
export function printError(text: SafeText): void {
  print(safe`${text}\n`, process.stderr);
}

/** Writes a message to standard error, as a line that begins with `hubrelay: `. */
export function printMessage(text: SafeText): void {
  printError(safe`hubrelay: ${text}`);
}
