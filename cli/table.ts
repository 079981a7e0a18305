import { printable } from "./printable.ts";

/**
 * A cell, and how it is painted once its width is settled: colours must not count as characters, and a text brings
 * none of its own.
 */
export type Cell = string | Readonly<{ text: string; paint: (text: string) => string }>;

/** Much of what tables show was written by somebody else. */
const textOf = (cell: Cell): string => printable(typeof cell === "string" ? cell : cell.text);

function padded(cell: Cell, width: number): string {
  const text = textOf(cell);
  const shown = typeof cell === "string" ? text : cell.paint(text);
  return shown + " ".repeat(Math.max(width - text.length, 0));
}

/** Rows with aligned columns, two blanks apart; the last column runs on. Each line ends with a newline. */
export function table(rows: readonly (readonly Cell[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.slice(0, -1).entries())
      widths[column] = Math.max(widths[column] ?? 0, textOf(cell).length);
  }
  return rows
    .map((row) => {
      const cells = row.map((cell, column) =>
        padded(cell, column < row.length - 1 ? (widths[column] ?? 0) : 0),
      );
      return `${cells.join("  ").trimEnd()}\n`;
    })
    .join("");
}
