import { RE2JS } from "re2js";

const compiled = new Map<string, RE2JS | undefined>();

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined; // no pattern of RE2's language
  }
}

/** The pattern, compiled once; undefined when it is none. Matching takes time linear in the text. */
export function linearPattern(pattern: string): RE2JS | undefined {
  if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
  return compiled.get(pattern);
}

/** True when the text has a match of the pattern anywhere; a pattern that is none refuses nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  return linearPattern(pattern)?.matcher(text).find() ?? true;
}
