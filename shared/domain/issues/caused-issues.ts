import type { Issue } from "./issue.ts";

/** The issues of the new side of a comparison; the `known` ones are also on the old side. */
type Comparison = Readonly<{ issues: readonly Issue[]; known: readonly Issue[] }>;

/** Returns a key that finds the same issue on the other side. It has no array indexes and lines: they may change. */
function identity({ code, severity, object, path, value, file }: Issue): string {
  const isPlace = /^\d+:\d+$/.test(path) || (object.kind === "File" && path === file);
  const field = isPlace ? "" : path.replaceAll(/\[\d+\]/g, "[]");
  return JSON.stringify([code, severity, object, field, value]);
}

/** Pairs each issue with at most one of `others` that has the same key; returns the unpaired ones of both lists. */
function unmatched(
  issues: readonly Issue[],
  others: readonly Issue[],
  keyOf: (issue: Issue) => string,
): readonly [issues: readonly Issue[], others: readonly Issue[]] {
  const left = Map.groupBy(others, keyOf);
  const own = issues.filter((issue) => left.get(keyOf(issue))?.shift() === undefined);
  return [own, [...left.values()].flat()];
}

/** Returns the `issues` that are not among `others`. An issue is matched first with an equal one in the same file. */
export function issuesOnlyIn(issues: readonly Issue[], others: readonly Issue[]): readonly Issue[] {
  const inFile = (issue: Issue) => `${issue.file ?? ""} ${identity(issue)}`;
  return unmatched(...unmatched(issues, others, inFile), identity)[0];
}

/** Returns the issues that only the new side has; they decide the exit code of `hubrelay diff`. */
export const causedIssues = ({ issues, known }: Comparison): readonly Issue[] => issuesOnlyIn(issues, known);
