import { type SafeText, safe } from "./safe-text.ts";

/** A string is escaped; a `SafeText` may have colours, which do not count as width. */
export type Cell = string | SafeText;

/** Renders rows with aligned columns, two spaces apart; the last column is not padded. Each line ends with a newline. */
export function table(rows: readonly (readonly Cell[])[]): SafeText {
  const cells = rows.map((row) => row.map((cell) => safe`${cell}`));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [column, { width }] of row.slice(0, -1).entries())
      widths[column] = Math.max(widths[column] ?? 0, width);
  }
  return safe`${cells.map((row) => {
    const last = row.findLastIndex(({ width }) => width > 0);
    const shown = row
      .slice(0, last + 1)
      .map((cell, column) =>
        column < last ? safe`${cell}${" ".repeat((widths[column] ?? 0) - cell.width + 2)}` : cell,
      );
    return safe`${shown}\n`;
  })}`;
}
