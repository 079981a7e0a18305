import type { Issue } from "./issue.ts";

type Comparison = Readonly<{ issues: readonly Issue[]; known: readonly Issue[] }>;

/** Returns the key by which issues are compared. Indexes and lines may differ between the sides. */
function identity({ code, severity, object, path, value, file }: Issue): string {
  const isPlace = /^\d+:\d+$/.test(path) || (object.kind === "File" && path === file);
  const field = isPlace ? "" : path.replaceAll(/\[\d+\]/g, "[]");
  return JSON.stringify([code, severity, object, field, value]);
}

function unmatched(
  issues: readonly Issue[],
  others: readonly Issue[],
  keyOf: (issue: Issue) => string,
): readonly [issues: readonly Issue[], others: readonly Issue[]] {
  const left = Map.groupBy(others, keyOf);
  const own = issues.filter((issue) => left.get(keyOf(issue))?.shift() === undefined);
  return [own, [...left.values()].flat()];
}

/** Returns the `issues` that `others` lacks, without comparing places. Each of `others` cancels at most one issue. */
export function issuesOnlyIn(issues: readonly Issue[], others: readonly Issue[]): readonly Issue[] {
  const inFile = (issue: Issue) => `${issue.file ?? ""} ${identity(issue)}`;
  return unmatched(...unmatched(issues, others, inFile), identity)[0];
}

/** Returns the issues that only the new side has. They decide the exit code of `hubrelay diff`. */
export const causedIssues = ({ issues, known }: Comparison): readonly Issue[] => issuesOnlyIn(issues, known);
