import { sentence } from "../../text/redact.ts";

/** The maximum interval (`\{m,n\}`), and the maximum product of nested intervals: `grep` copies the repeated part. */
const maxRepeat = 255;
const maxNestedRepeat = 1000;

/** Why a pattern cannot be used: it is empty, `grep -G` cannot read it, or it costs a node too much memory or time. */
export type PatternProblem = Readonly<{ kind: "Empty" | "Unreadable" | "TooCostly"; message: string }>;

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

const unreadable = (message: string): PatternProblem => ({ kind: "Unreadable", message });
const tooCostly = (message: string): PatternProblem => ({ kind: "TooCostly", message });

/** An open group; `repeats` is the highest number of repetitions by intervals inside it. */
type Group = { repeats: number };

function problemOfLine(pattern: string): PatternProblem | undefined {
  const groups: Group[] = [{ repeats: 1 }];
  /** The repetitions of the previous part, which a following interval multiplies. */
  let last = 1;
  let costly: PatternProblem | undefined;
  const take = (repeats: number) => {
    last = repeats;
    const group = groups.at(-1);
    if (group) group.repeats = Math.max(group.repeats, repeats);
  };

  for (let at = 0; at < pattern.length; at++) {
    const isEscaped = pattern[at] === "\\";
    if (!isEscaped) {
      if (pattern[at] === "[") at = endOfBracket(pattern, at);
      if (at < 0) return unreadable("A bracket is never closed.");
      // A star repeats the previous part without copies.
      if (pattern[at] !== "*") take(1);
      continue;
    }
    at++;
    const escaped = pattern[at];
    if (escaped === undefined) return unreadable("It ends with a backslash.");
    if (escaped === "(") {
      groups.push({ repeats: 1 });
      last = 1;
    } else if (escaped === ")") {
      const closed = groups.pop();
      if (!closed || groups.length === 0) return unreadable("A group is closed that was never opened.");
      take(closed.repeats);
    } else if (escaped === "{") {
      const [interval, min = "", max] = /^(\d*)(?:,(\d*))?\\\}/.exec(pattern.slice(at + 1)) ?? [];
      // An interval without numbers is a literal at the start, and elsewhere an error that costs nothing.
      if (interval === undefined) continue;
      at += interval.length;
      const repeat = Math.max(1, Number(min), Number(max ?? 0));
      if (repeat > maxRepeat) costly ??= tooCostly(`An interval repeats more than ${maxRepeat} times.`);
      take(last * repeat);
      if (last > maxNestedRepeat)
        costly ??= tooCostly(`Nested intervals repeat more than ${maxNestedRepeat} times.`);
    } else if (/[1-9]/.test(escaped)) {
      costly ??= tooCostly(sentence`It has a back-reference to a group: \\${escaped}.`);
      take(1);
    } else if (escaped !== "+" && escaped !== "?") take(1);
  }
  return groups.length > 1 ? unreadable("A group is never closed.") : costly;
}

const firstOf = <Found>(lines: readonly string[], find: (line: string) => Found | undefined) =>
  lines
    .values()
    .map(find)
    .find((found) => found !== undefined);

/** Returns patterns as the workload reads them: each line is one pattern, trimmed; empty lines are skipped. */
export function patternLines(patterns: readonly string[]): readonly string[] {
  return patterns.flatMap((pattern) => pattern.split("\n").map((line) => line.trim())).filter(Boolean);
}

/**
 * Returns the first problem of a basic regular expression, read as GNU `grep -G` reads it: each line is a pattern.
 * Undefined when `grep` can probably read it; only `grep` itself can be sure.
 */
export function excludePatternProblem(pattern: string): PatternProblem | undefined {
  const lines = patternLines([pattern]);
  if (lines.length === 0) return { kind: "Empty", message: "It is empty." };
  return firstOf(lines, problemOfLine);
}

/** The reason why a valid pattern is probably wrong. */
export type PatternDoubt = Readonly<{ kind: "MatchesNothing" | "MatchesAll"; message: string }>;

/** The end of the text that `grep` compares for every image of OpenShift's releases, without the digest. */
const everyImage = "$quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:";

/** A line with escapes, which may repeat or choose between its parts, has no doubt. */
function doubtOfLine(pattern: string): PatternDoubt | undefined {
  if (pattern.includes("\\")) return undefined;
  const nothing = (message: string): PatternDoubt => ({ kind: "MatchesNothing", message });
  const isAtStart = pattern.startsWith("^");
  const isAtEnd = /.\$$/.test(pattern);
  // A part with a star may be absent; a star at the start is an asterisk.
  const parts = pattern
    .slice(isAtStart ? 1 : 0, isAtEnd ? -1 : undefined)
    .match(/\[\^?\]?[^\]]*(?:\]\*?|$)|(?:^\*|[^*])\*?/g);
  if (!parts) return undefined;
  const isLiteral = (part: string | undefined) => part?.length === 1 && part !== ".";
  const strange = parts.find((part) => isLiteral(part) && !/["$a-z0-9._/:@-]/.test(part));
  if (strange !== undefined) return nothing(sentence`The name of no image has the character ${strange}.`);
  const [first, last] = [parts[0], parts.at(-1)];
  if ((isAtStart && isLiteral(first) && first !== '"') || (isAtEnd && isLiteral(last) && last !== '"'))
    return nothing('What is compared begins and ends with a quotation mark: "TAG$IMAGE".');
  if (!expressionOf(pattern)?.(everyImage)) return undefined;
  return {
    kind: "MatchesAll",
    message: sentence`It is in the name of every image of OpenShift: ${everyImage}….`,
  };
}

/** Returns the first doubt about the lines of a pattern, each of which is a pattern of its own. */
export function excludePatternDoubt(pattern: string): PatternDoubt | undefined {
  return firstOf(patternLines([pattern]), doubtOfLine);
}

/** The excluded images of a release, and the patterns that only `grep` on the cluster can evaluate. */
export type Exclusion = Readonly<{
  /** Reports whether a pattern excludes an image, by tag and pull spec. */
  isExcluded(tag: string, pullspec: string): boolean;
  notApplied: readonly string[];
}>;

/** Literal characters, dots, `.*`, and anchors: enough for nearly every pattern. */
const plain = /^\^?(?:[\w"/:@,=~ -]|\$(?!$)|\.\*?)+\$?$/;

/** A dot in a piece matches any character. */
function indexOfPiece(text: string, piece: string, from: number): number {
  const isAt = (index: number) =>
    Array.from(piece).every((one, at) => one === "." || one === text[index + at]);
  for (let index = from; index + piece.length <= text.length; index++) if (isAt(index)) return index;
  return -1;
}

/**
 * Returns undefined for a pattern that is not plain. Each piece between `.*` is searched after the previous one: the
 * engine of JavaScript would try every combination of their places.
 */
function expressionOf(pattern: string): ((text: string) => boolean) | undefined {
  if (!plain.test(pattern)) return undefined;
  // A dollar is an anchor only at the end; before that it is a literal.
  const isAtEnd = pattern.endsWith("$");
  const pieces = pattern.slice(pattern.startsWith("^") ? 1 : 0, isAtEnd ? -1 : undefined).split(".*");
  return (text) => {
    let from = 0;
    for (const [index, piece] of pieces.entries()) {
      const isLast = index === pieces.length - 1;
      const least = isLast && isAtEnd ? Math.max(from, text.length - piece.length) : from;
      const at = indexOfPiece(text, piece, least);
      if (at < 0 || (index === 0 && pattern.startsWith("^") && at > 0)) return false;
      from = at + piece.length;
    }
    return true;
  };
}

/**
 * Reads `excludePrecachePatterns`, basic regular expressions over `"tag$pullspec"` with its quotes. A pattern with
 * brackets, groups, escapes or repetitions other than `.*` is not applied here: its images count as not excluded.
 */
export function readExclusion(patterns: readonly string[]): Exclusion {
  const read = patterns.map((pattern) => ({ pattern, expression: expressionOf(pattern) }));
  return {
    isExcluded: (tag, pullspec) =>
      read.some(({ expression }) => expression?.(`"${tag}$${pullspec}"`) === true),
    notApplied: read.flatMap(({ pattern, expression }) => (expression ? [] : [pattern])),
  };
}
