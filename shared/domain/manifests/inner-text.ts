import type { Position, PositionOf } from "./yaml-document.ts";

/** Where a text begins in its file: at the field that holds it or, with an indent, on the lines after that. */
type TextStart = Position & Readonly<{ indent?: number }>;

/** A text with manifests in a field, which of its documents is meant, and where it begins. */
export type InnerText = Readonly<{
  text: string;
  document: number;
  start: TextStart;
  /** The lines of its items, where the text is not YAML. */
  lines?: readonly number[];
}>;

/** Returns the positions in a text of which only the lines of its items are known. */
export function itemPositions(lines: readonly number[]): PositionOf {
  return ([item]) => ({ line: lines[Number(item)] ?? 1, column: 1 });
}

/** Matches the line of a field whose text follows as it is. */
const blockHeader = /[:-]\s+(?:[&!]\S+\s+)*\|[-+\d]*\s*(?:#.*)?$/;

/** Returns where the text of the field at this position begins. Only in a block of YAML its lines are those of the file. */
export function startOfText(
  position: Position,
  sourceLine: (line: number) => string | undefined = () => undefined,
): TextStart {
  const isBlock = blockHeader.test(sourceLine(position.line) ?? "");
  if (!isBlock) return position;
  let line = position.line + 1;
  while (sourceLine(line)?.trim() === "") line++;
  const [blanks = ""] = /^ */.exec(sourceLine(line) ?? "") ?? [];
  return { ...position, indent: blanks.length };
}

/** Returns the position in the file of a position in the text. */
export function positionInFile({ line, column, indent }: TextStart, position: Position): Position {
  return indent === undefined
    ? { line, column }
    : { line: line + position.line, column: indent + position.column };
}
