import { joined, painted, type SafeText, safe } from "./safe-text.ts";

/** A string is escaped; a `SafeText` may have colours, which do not count as width. */
export type Cell = string | SafeText;
type Row = readonly Cell[];

const gap = 2;
/** A last column that is narrower than this is shown below its row instead. */
const narrowest = 20;
const indent = 4;

/** Returns the width to fill: that of the terminal, or none for a pipe or a file, whose lines are never broken. */
const terminalWidth = (): number =>
  (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;

/** Breaks a text between words. A word that is longer than a line has one of its own, whole: people copy names. */
function brokenAt(text: SafeText, width: number): readonly SafeText[] {
  if (text.width <= width) return [text];
  const lead = " ".repeat(text.toString().search(/[^ ]|$/));
  const lines: SafeText[] = [];
  for (const word of text.words()) {
    const line = lines.at(-1);
    if (line && line.width + 1 + word.width <= width) lines[lines.length - 1] = safe`${line} ${word}`;
    else lines.push(safe`${lead}${word}`);
  }
  return lines;
}

const widest = (texts: readonly SafeText[]): number =>
  texts.reduce((most, { width }) => Math.max(most, width), 0);

/**
 * Renders rows with aligned columns, two spaces apart; the last column is not padded. Each line ends with a newline. On a
 * terminal that is too narrow, the last column is broken between words, or shown below its row.
 */
export function table(rows: readonly Row[], width = terminalWidth()): SafeText {
  const cells = rows.map((row) => row.map((cell) => safe`${cell}`));
  const count = cells.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: count }, (_, column) =>
    // A row's last cell may run on below the columns that only others have.
    widest(cells.flatMap((row) => (column < row.length - 1 ? (row[column] ?? []) : []))),
  );
  const padded = (row: readonly SafeText[]): SafeText =>
    safe`${row.map((cell, column) =>
      column === row.length - 1 ? cell : safe`${cell}${" ".repeat((widths[column] ?? 0) - cell.width + gap)}`,
    )}`;
  return safe`${cells.map((row) => {
    const shown = row.slice(0, row.findLastIndex((cell) => cell.width > 0) + 1);
    const before = shown.slice(0, -1);
    const last = shown.at(-1) ?? safe``;
    const begin = before.reduce((sum, _, column) => sum + (widths[column] ?? 0) + gap, 0);
    const isBelow = before.length > 0 && begin + last.width > width && width - begin < narrowest;
    const from = isBelow ? indent : begin;
    const broken = joined(brokenAt(last, width - from), safe`\n${" ".repeat(from)}`);
    return isBelow
      ? safe`${padded(before)}\n${" ".repeat(indent)}${broken}\n`
      : safe`${padded([...before, broken])}\n`;
  })}`;
}

/** Renders rows below headings, which are bold on a terminal. */
export function tableWithHeadings(headings: readonly string[], rows: readonly Row[]): SafeText {
  return table([headings.map((heading) => painted("bold", heading)), ...rows]);
}
