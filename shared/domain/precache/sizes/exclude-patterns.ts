/** Which images of a release are excluded, and the patterns that only `grep` on the cluster can evaluate. */
export type Exclusion = Readonly<{
  /** True for an image, by tag and pull spec, that a pattern excludes. */
  isExcluded(tag: string, pullspec: string): boolean;
  notApplied: readonly string[];
}>;

/** Literal characters, dots, `.*`, and anchors: enough for nearly every pattern. */
const plain = /^\^?(?:[\w"/:@,=~ -]|\$(?!$)|\.\*?)+\$?$/;
/** More stars make a search slow. */
const mostStars = 3;

function expressionOf(pattern: string): RegExp | undefined {
  if (!plain.test(pattern) || pattern.split("*").length - 1 > mostStars) return undefined;
  // A dollar is an anchor only at the end; before that it is a literal.
  return new RegExp(pattern.replace(/\$(?!$)/g, "\\$"));
}

/**
 * Reads `excludePrecachePatterns`, basic regular expressions over `"tag$pullspec"` with its quotes. A pattern with
 * brackets, groups, escapes or repetitions other than `.*` is not applied here: images that it excludes count.
 */
export function readExclusion(patterns: readonly string[]): Exclusion {
  const read = patterns.map((pattern) => ({ pattern, expression: expressionOf(pattern) }));
  return {
    isExcluded: (tag, pullspec) => read.some(({ expression }) => expression?.test(`"${tag}$${pullspec}"`)),
    notApplied: read.flatMap(({ pattern, expression }) => (expression ? [] : [pattern])),
  };
}
