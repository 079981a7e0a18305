const tokens = /"(?:[^"\\]|\\.?)*(?:"|$)|[{}:]/gs;

/** Returns the first key that occurs twice in one object of a valid JSON text; undefined if there is none. */
export function repeatedKey(json: string): string | undefined {
  const open: Set<unknown>[] = [];
  let last = "";
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (token !== ":") last = token;
    else {
      const key: unknown = JSON.parse(last);
      const keys = open.at(-1);
      if (keys?.has(key)) return String(key);
      keys?.add(key);
    }
  }
  return undefined;
}
