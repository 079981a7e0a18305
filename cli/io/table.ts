import { joined, painted, type SafeText, safe } from "./safe-text.ts";

/** The content of a cell. A string will be escaped. */
export type Cell = string | SafeText;
type Row = readonly Cell[];

const gap = 2;
/** Minimum width of the last column. With less room, the cells of that column are shown below their rows. */
const narrowest = 20;
const indent = 4;

/** Returns the width of the terminal. It is infinite for a pipe or a file, whose lines are never broken. */
const terminalWidth = (): number =>
  (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;

/** Breaks a text between words. A word longer than `width` stays whole, since people copy names. */
export function brokenAt(text: SafeText, width: number): readonly SafeText[] {
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
  texts.reduce((max, { width }) => Math.max(max, width), 0);

const wordWidth = (text: SafeText): number => widest(brokenAt(text, 1));

function fitted(
  columns: readonly Readonly<{ width: number; min: number }>[],
  room: number,
): readonly number[] {
  const widths = columns.map(({ width }) => width);
  const isTooWide = () => widths.reduce((sum, one) => sum + one + gap, 0) > room;
  while (isTooWide()) {
    const reducible = widths.map((one, column) => (one > (columns[column]?.min ?? 0) ? one : 0));
    const max = Math.max(0, ...reducible);
    if (max === 0) break;
    widths[reducible.indexOf(max)] = max - 1;
  }
  return widths;
}

function lineOf(cells: readonly SafeText[], widths: readonly number[]): SafeText {
  const shown = cells.slice(0, cells.findLastIndex(({ width }) => width > 0) + 1);
  const padded = shown.map((cell, column) =>
    column === shown.length - 1
      ? cell
      : safe`${cell}${" ".repeat(Math.max(0, (widths[column] ?? 0) - cell.width) + gap)}`,
  );
  return safe`${padded}`;
}

/** Returns the rows as texts with aligned columns. If the columns do not fit in `width`, cells have several lines. */
export function tableLines(rows: readonly Row[], width = Number.POSITIVE_INFINITY): readonly SafeText[] {
  const all = rows.map((row) => row.map((cell) => safe`${cell}`));
  const cells = all.map((row) => row.slice(0, row.findLastIndex((cell) => cell.width > 0) + 1));
  const count = all.reduce((max, row) => Math.max(max, row.length), 1);
  const columns = Array.from({ length: count - 1 }, (_, column) => {
    // The last cell of a row does not widen its column: it may extend into columns that only longer rows have.
    const own = all.flatMap((row) => (column < row.length - 1 ? (row[column] ?? []) : []));
    return { width: widest(own), min: Math.max(0, ...own.map(wordWidth)) };
  });
  const lastWidth = widest(all.flatMap((row) => row.at(-1) ?? []));
  const widths = fitted(columns, width - Math.min(lastWidth, narrowest));
  return cells.map((row) => {
    const before = row.slice(0, -1).map((cell, column) => brokenAt(cell, widths[column] ?? 0));
    const begin = before.reduce((sum, _, column) => sum + (widths[column] ?? 0) + gap, 0);
    const last = row.at(-1) ?? safe``;
    const isBelow = before.length > 0 && begin + last.width > width && width - begin < narrowest;
    const broken = brokenAt(last, width - (isBelow ? indent : begin));
    const parts = isBelow ? before : [...before, broken];
    const height = Math.max(1, ...parts.map(({ length }) => length));
    const lines = Array.from({ length: height }, (_, line) =>
      lineOf(
        parts.map((part) => part[line] ?? safe``),
        widths,
      ),
    );
    const below = isBelow ? broken.map((line) => safe`${" ".repeat(indent)}${line}`) : [];
    return joined([...lines, ...below], safe`\n`);
  });
}

/** Renders rows with aligned columns. Each line ends with a newline. */
export function table(rows: readonly Row[], width = terminalWidth()): SafeText {
  return safe`${tableLines(rows, width).map((line) => safe`${line}\n`)}`;
}

/** Renders rows below headings, which are bold on a terminal. */
export function tableWithHeadings(headings: readonly string[], rows: readonly Row[]): SafeText {
  return table([headings.map((heading) => painted("bold", heading)), ...rows]);
}
