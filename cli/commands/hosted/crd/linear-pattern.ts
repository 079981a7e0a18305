import { RE2JS } from "re2js";

const compiled = new Map<string, RE2JS | undefined>();

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined; // not valid in RE2
  }
}

/** Compiles a pattern, once; undefined when it is invalid. Matching takes linear time. */
export function linearPattern(pattern: string): RE2JS | undefined {
  if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
  return compiled.get(pattern);
}

/** Returns true when the pattern matches anywhere in the text; an invalid pattern matches everything. */
export function matchesPattern(pattern: string, text: string): boolean {
  return linearPattern(pattern)?.matcher(text).find() ?? true;
}
