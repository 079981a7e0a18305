import type { Cost } from "#shared/domain/plan/cost.ts";
import { counted } from "#shared/domain/text/human-readable.ts";

const badges: Readonly<Record<Cost, string>> = {
  none: "⚪",
  reload: "🟢",
  drain: "🟡",
  reboot: "🔴",
  replace: "🔴",
};

/** Returns a coloured badge and the cost in bold. */
export const badge = (cost: Cost): string => `${badges[cost]} **${cost}**`;

const maxText = 400;

/** Returns a text on one line, cut to `max` characters. */
export const oneLine = (value: string, max = maxText): string => {
  const text = value.replaceAll(/\s+/g, " ").trim();
  return text.length > max ? `${text.slice(0, max)}…` : text;
};

/**
 * Escapes characters with a meaning in Markdown, HTML or on GitHub. GitHub looks for people in the rendered Markdown,
 * so a zero-width space follows each `@`.
 */
export const escaped = (value: string): string =>
  value.replaceAll(/[\\`*_[\]<>|~@#&!]|:(?=\/\/)/g, (character) =>
    character === "@" ? "&#64;&#8203;" : `&#${character.charCodeAt(0)};`,
  );

/** Returns a text on one line, cut and escaped. */
export const plain = (value: string): string => escaped(oneLine(value));

/** Returns a value as inline code. Escapes `|`, since it ends a table's cell even in code. */
export const code = (value: string): string =>
  `\`${oneLine(value).replaceAll("`", "'").replaceAll("|", "\\|")}\``;

export const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;

/** Returns content that is folded below its summary. */
export const folded = (summary: string, content: string): string =>
  `<details><summary>${summary}</summary>\n\n${content.trimEnd()}\n\n</details>\n`;

/** Returns the first lines that fit in `room` characters, and a line with the number of lines that do not fit. */
export function limited(lines: readonly string[], noun: string, room: number): string {
  let left = room;
  const end = lines.findIndex((line) => {
    left -= line.length;
    return left < 0;
  });
  const shown = end < 0 ? lines : lines.slice(0, end);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`\nAnd ${counted(more, `more ${noun}`)}.\n`] : [])].join("");
}
