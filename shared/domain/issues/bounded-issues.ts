import type { Issue } from "./issue.ts";

/** An outcome event must fit in a queue message: of long lists it carries the beginning, and the whole count. */
export const longestList = 50;

/** The issues as an outcome carries them. */
export function boundedIssues(
  issues: readonly Issue[],
): Readonly<{ issueCount: number; issues: readonly Issue[] }> {
  return { issueCount: issues.length, issues: issues.slice(0, longestList) };
}
