/** The maximum depth of nested values in a text: a deeper text could exhaust the stack of recursive functions. */
export const maxNesting = 100;

function stringEnd(text: string, start: number): number {
  const quote = text.charAt(start);
  const isLong = text.charAt(start + 1) === quote && text.charAt(start + 2) === quote;
  const mark = isLong ? quote.repeat(3) : quote;
  for (let at = start + mark.length; at < text.length; at++) {
    const character = text[at];
    if (character === "\\" && quote === '"') at++;
    else if (character === quote && (!isLong || text.startsWith(mark, at))) return at + mark.length - 1;
  }
  return text.length;
}

/** Reports whether a JSON or TOML text has values nested deeper than `allowed` levels. The text is not parsed. */
export function isTooDeep(text: string, allowed = maxNesting): boolean {
  let depth = 0;
  // Each dot in a TOML key is also a level.
  let dots = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"' || character === "'") at = stringEnd(text, at);
    else if (character === "#") at = (text.indexOf("\n", at) + 1 || text.length) - 1;
    else if (character === ".") dots++;
    else if (character === "[" || character === "{") {
      depth++;
      dots = 0;
    } else if (character === "]" || character === "}") {
      depth--;
      dots = 0;
    } else if (character === "\n" || character === "," || character === "=") dots = 0;
    if (depth + dots > allowed) return true;
  }
  return false;
}

/** Parses JSON. The `SyntaxError` for an invalid text quotes no part of it, because it may hold a credential. */
export function readJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`The JSON is nested more than ${maxNesting} levels deep`);
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError("The text is not JSON");
  }
}

const cut = (value: unknown, rest: number): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (rest === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cut(item, rest - 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cut(one, rest - 1)]));
};

/** The number of levels around each object in an API server's response, such as a list and its items. */
const envelope = 3;

/** Parses an API server's response; undefined if it is not JSON. Values that are nested too deeply become null. */
export function readResponse(text: string): unknown {
  try {
    // The engine's JSON.parse does not recurse: a deep text cannot exhaust the stack.
    const value: unknown = JSON.parse(text);
    return isTooDeep(text, maxNesting + envelope) ? cut(value, maxNesting + envelope) : value;
  } catch {
    return undefined;
  }
}
