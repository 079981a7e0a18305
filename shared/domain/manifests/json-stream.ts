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
 * Returns the values of a JSON text with their lines (from 1): one value, or several in a row as `jq -c` prints
 * them. Returns undefined when any part of the text is not JSON.
 */
export function tryParseJsonStream(text: string): readonly { value: unknown; line: number }[] | undefined {
  const trimmed = text.trimStart();
  if (!trimmed.startsWith("{")) return undefined;
  const firstLine = text.slice(0, text.length - trimmed.length).split("\n").length;
  const whole = tryParse(trimmed);
  if (whole) return [{ value: whole.value, line: firstLine }];

  const ends = valueEnds(trimmed);
  const last = ends.at(-1);
  if (ends.length < 2 || last === undefined || trimmed.slice(last).trim() !== "") return undefined;
  const values: { value: unknown; line: number }[] = [];
  let start = 0;
  let line = firstLine;
  for (const end of ends) {
    const piece = trimmed.slice(start, end);
    const parsed = tryParse(piece);
    if (!parsed) return undefined;
    const blank = piece.length - piece.trimStart().length;
    line += piece.slice(0, blank).split("\n").length - 1;
    values.push({ value: parsed.value, line });
    line += piece.slice(blank).split("\n").length - 1;
    start = end;
  }
  return values;
}
