/** Which images of a release are left out, and the patterns that only the cluster's own `grep` can judge. */
export type Exclusion = Readonly<{
  /** True for an image, by its tag and pull spec, that a pattern leaves out. */
  isExcluded(tag: string, pullspec: string): boolean;
  notApplied: readonly string[];
}>;

/** Characters that mean themselves, dots, `.*`, and the ends of the line: what nearly every pattern is made of. */
const plain = /^\^?(?:[\w"/:@,=~ -]|\$(?!$)|\.\*?)+\$?$/;
/** More of them make a search slow. */
const mostStars = 3;

function expressionOf(pattern: string): RegExp | undefined {
  if (!plain.test(pattern) || pattern.split("*").length - 1 > mostStars) return undefined;
  // A dollar means the end only at the end; before that it is a character.
  return new RegExp(pattern.replace(/\$(?!$)/g, "\\$"));
}

/**
 * Reads `excludePrecachePatterns`, basic regular expressions over `"tag$pullspec"` with its quotes. One with
 * brackets, groups, escapes or repetitions other than `.*` is not applied here: images that it leaves out count.
 */
export function readExclusion(patterns: readonly string[]): Exclusion {
  const read = patterns.map((pattern) => ({ pattern, expression: expressionOf(pattern) }));
  return {
    isExcluded: (tag, pullspec) => read.some(({ expression }) => expression?.test(`"${tag}$${pullspec}"`)),
    notApplied: read.flatMap(({ pattern, expression }) => (expression ? [] : [pattern])),
  };
}
