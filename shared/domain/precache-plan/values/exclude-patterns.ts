import { sentence } from "../../text/redact.ts";

/** Returns patterns as the workload reads them: each line is a trimmed pattern, and empty lines are skipped. */
export function patternLines(patterns: readonly string[]): readonly string[] {
  return patterns.flatMap((pattern) => pattern.split("\n").map((line) => line.trim())).filter(Boolean);
}

/** Why a pattern is probably a mistake. Only `grep` on the cluster shows whether a pattern is valid. */
export type PatternDoubt = Readonly<{ kind: "Empty" | "MatchesNothing" | "MatchesAll"; message: string }>;

/** Every image of a release has this text in the line that `grep` reads. */
const everyImage = "$quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:";

function doubtOfLine(pattern: string): PatternDoubt | undefined {
  if (pattern.includes("\\")) return undefined;
  const nothing = (message: string): PatternDoubt => ({ kind: "MatchesNothing", message });
  const isAtStart = pattern.startsWith("^");
  const isAtEnd = /.\$$/.test(pattern);
  // A part is a character or bracket expression with its star. A star at the start is a literal character.
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

/** Returns why a pattern is probably a mistake; undefined if it is not. */
export function excludePatternDoubt(pattern: string): PatternDoubt | undefined {
  const lines = patternLines([pattern]);
  if (lines.length === 0) return { kind: "Empty", message: "It is empty." };
  return lines
    .values()
    .map(doubtOfLine)
    .find((doubt) => doubt !== undefined);
}

/** Which images of a release patterns exclude. Patterns that only `grep` can evaluate (`notApplied`) exclude none. */
export type Exclusion = Readonly<{
  isExcluded(tag: string, pullspec: string): boolean;
  notApplied: readonly string[];
}>;

const plain = /^\^?(?:[\w"/:@,=~ -]|\$(?!$)|\.\*?)+\$?$/;

function indexOfPiece(text: string, piece: string, from: number): number {
  const isAt = (index: number) =>
    Array.from(piece).every((one, at) => one === "." || one === text[index + at]);
  for (let index = from; index + piece.length <= text.length; index++) if (isAt(index)) return index;
  return -1;
}

/** Returns a function that reports whether a text matches; undefined if only `grep` can evaluate the pattern. */
function expressionOf(pattern: string): ((text: string) => boolean) | undefined {
  if (!plain.test(pattern)) return undefined;
  // A dollar is an anchor only at the end; elsewhere it is a literal character.
  const isAtEnd = pattern.endsWith("$");
  // The pieces are searched one after another: a JavaScript RegExp would try every combination of positions.
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
 * Returns which images the patterns exclude. A pattern is a basic regular expression that is matched against an image's
 * `"tag$pullspec"`, quotes included.
 */
export function readExclusion(patterns: readonly string[]): Exclusion {
  const read = patterns.map((pattern) => ({ pattern, expression: expressionOf(pattern) }));
  return {
    isExcluded: (tag, pullspec) =>
      read.some(({ expression }) => expression?.(`"${tag}$${pullspec}"`) === true),
    notApplied: read.flatMap(({ pattern, expression }) => (expression ? [] : [pattern])),
  };
}
