import { LineCounter } from "yaml";
import { isTooDeep } from "../kubernetes/json/nesting.ts";
import { below, type Position, type PositionOf, parseYamlDocument, positionAt } from "./yaml-document.ts";
import { splitYamlList, type YamlPiece } from "./yaml-stream.ts";

function valueEnds(text: string): number[] {
  const ends: number[] = [];
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) ends.push(at + 1);
  }
  return ends;
}

function tryParse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined; // no JSON; the caller reads it as YAML, which then names line and column
  }
}

/**
 * Returns the values of a JSON text with their offsets: one object, or several values in a row as `jq -c` prints them.
 * Undefined if a part of the text is not JSON, or is nested too deeply.
 */
export function tryParseJsonStream(text: string): readonly { value: unknown; offset: number }[] | undefined {
  const trimmed = text.trimStart();
  if (!trimmed.startsWith("{") || isTooDeep(trimmed)) return undefined;
  const before = text.length - trimmed.length;
  const whole = tryParse(trimmed);
  if (whole) return [{ value: whole.value, offset: before }];

  const ends = valueEnds(trimmed);
  const last = ends.at(-1);
  if (ends.length < 2 || last === undefined || trimmed.slice(last).trim() !== "") return undefined;
  const values: { value: unknown; offset: number }[] = [];
  let start = 0;
  for (const end of ends) {
    const piece = trimmed.slice(start, end);
    const parsed = tryParse(piece);
    if (!parsed) return undefined;
    values.push({ value: parsed.value, offset: before + end - piece.trimStart().length });
    start = end;
  }
  return values;
}

/** The number of characters above which a YAML list is parsed item by item, to take less memory. */
export const largeDocument = 1024 * 1024;

/** Returns a counter that knows where the lines of a text begin, for `jsonPositions`. */
export function linesOf(text: string): LineCounter {
  const counter = new LineCounter();
  counter.addNewLine(0);
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) counter.addNewLine(at + 1);
  return counter;
}

type Member = Readonly<{ field: number; value: number }>;

const token = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

function membersAt(text: string, start: number): ReadonlyMap<string | number, Member> {
  const members = new Map<string | number, Member>();
  const isMap = text[start] === "{";
  let expected: "name" | "value" | undefined = isMap ? "name" : "value";
  let name: string | number = 0;
  let field = start;
  let depth = 0;
  token.lastIndex = start;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [part] = found;
    if (depth === 1 && part === ",") {
      expected = isMap ? "name" : "value";
      if (typeof name === "number") name++;
    } else if (depth === 1 && part === ":") expected = "value";
    else if (depth === 1 && expected === "name" && part !== "}") {
      name = String(JSON.parse(part));
      field = found.index;
      expected = undefined;
    } else if (depth === 1 && expected === "value" && part !== "]") {
      members.set(name, { field: isMap ? field : found.index, value: found.index });
      expected = undefined;
    }
    if (part === "{" || part === "[") depth++;
    else if ((part === "}" || part === "]") && --depth === 0) break;
    else if (depth === 0) break;
  }
  return members;
}

/** Returns a function that finds positions in the JSON value that begins at offset `start`. */
export function jsonPositions(text: string, start: number, lines: LineCounter): PositionOf {
  const known = new Map<number, ReturnType<typeof membersAt>>();
  return (path) => {
    let member: Member = { field: start, value: start };
    for (const step of path) {
      const members = known.get(member.value) ?? membersAt(text, member.value);
      known.set(member.value, members);
      const next = members.get(step);
      if (!next) break;
      member = next;
    }
    return positionAt(member.field, lines);
  };
}

const start: Position = { line: 1, column: 1 };

function positionsInList(items: readonly YamlPiece[]): PositionOf {
  let last: { item: unknown; positionOf: PositionOf } = { item: undefined, positionOf: () => start };
  return (path) => {
    const [, item, ...inItem] = path;
    const piece = items[Number(item)];
    if (!piece) return start;
    if (last.item !== item) last = { item, positionOf: parseYamlDocument(piece.text).positionOf };
    return below(last.positionOf([0, ...inItem]), piece.line - 1);
  };
}

/** Returns a function that finds positions in a valid YAML document. */
export function yamlPositions(text: string): PositionOf {
  const list = text.length > largeDocument ? splitYamlList(text) : undefined;
  return list ? positionsInList(list.items) : parseYamlDocument(text).positionOf;
}
