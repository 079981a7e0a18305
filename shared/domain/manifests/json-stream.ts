import { isTooDeep } from "../kubernetes/json/nesting.ts";

/** Returns the ends of the values in a text of consecutive `{…}`, found by their brackets. */
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
 * Returns the values of a JSON text with their offsets: one value, or several in a row as `jq -c` prints them. Returns
 * undefined when any part of the text is not JSON, or is nested too deeply.
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
