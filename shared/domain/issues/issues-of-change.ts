import type { Issue } from "./issue.ts";

/** The issues that a change is about, and those that were there before in files that it does not touch. */
export type IssuesOfChange = Readonly<{ issues: readonly Issue[]; folded: readonly Issue[] }>;

const identity = (issue: Issue): string => JSON.stringify(Object.entries(issue).sort());

/**
 * Splits what was found by a change: an issue in a file that it does not touch is the change's only if it was not there
 * before, at this place and in these words.
 */
export function issuesOfChange(
  found: readonly Issue[],
  before: readonly Issue[],
  isTouched: (file: string) => boolean,
): IssuesOfChange {
  const known = new Set(before.map(identity));
  const isFolded = (issue: Issue) =>
    issue.file !== undefined && !isTouched(issue.file) && known.has(identity(issue));
  return {
    issues: found.filter((issue) => !isFolded(issue)),
    folded: found.filter(isFolded),
  };
}
