/** Where a bracket expression ends, by the index of its closing bracket; -1 for one that does not. */
function endOfBracket(pattern: string, open: number): number {
  let at = open + 1;
  if (pattern[at] === "^") at++;
  if (pattern[at] === "]") at++;
  for (; at < pattern.length; at++) {
    if (pattern[at] === "]") return at;
    const [inner] = /^[:.=]/.exec(pattern.slice(at + 1)) ?? [];
    if (pattern[at] !== "[" || inner === undefined) continue;
    const end = pattern.indexOf(`${inner}]`, at + 2);
    if (end < 0) return -1;
    at = end + 1;
  }
  return -1;
}

/**
 * Why `grep -G` cannot read a pattern, as far as that is certain without it: what is open is never closed, or closed
 * without having been opened. Undefined for a pattern that may be good.
 */
export function excludePatternMistake(pattern: string): string | undefined {
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === "[") {
      at = endOfBracket(pattern, at);
      if (at < 0) return "A bracket is never closed.";
    }
    if (pattern[at] !== "\\") continue;
    at++;
    if (at === pattern.length) return "It ends with a backslash.";
    if (pattern[at] === "(") depth++;
    if (pattern[at] === ")") depth--;
    if (depth < 0) return "A group is closed that was never opened.";
  }
  return depth > 0 ? "A group is never closed." : undefined;
}
