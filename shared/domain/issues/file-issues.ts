import { counted } from "../text/human-readable.ts";
import { sentence } from "../text/redact.ts";
import { fieldIssue, type Issue, type IssueObject, type Problem, type RelatedPlace } from "./issue.ts";

type FileProblem = Readonly<{
  path: string;
  problem: string;
  /** A clause about what hubrelay does with the objects in the file. */
  meanwhile: string;
}>;

/** Returns an issue about a place in a file, for problems that belong to no object. */
export function fileIssue(
  file: string,
  { line, column }: Readonly<{ line: number; column: number }>,
  value: unknown,
  problem: Problem,
): Issue {
  return {
    ...fieldIssue({ kind: "File", name: file }, `${line}:${column}`, value, problem),
    file,
    line,
    column,
  };
}

/** The place of issues about a whole file. */
export const fileStart = { line: 1, column: 1 };

function pathIssue({ path, problem: value }: FileProblem, problem: Problem): Issue {
  return { ...fileIssue(path, fileStart, value, problem), path };
}

/** Returns the error about a file that cannot be read. */
export function unreadableFile(file: FileProblem): Issue {
  return pathIssue(file, {
    code: "UnreadableFile",
    message: sentence`This file cannot be read: ${file.problem}.`,
    remedy: sentence`Make it readable for hubrelay, or split it; ${file.meanwhile}.`,
  });
}

/** Returns the warning about a skipped path: an unreadable folder, or something that is not a file. */
export function skippedPath(file: FileProblem): Issue {
  return pathIssue(file, {
    code: "SkippedPath",
    severity: "warning",
    message: sentence`This path is left out: ${file.problem}.`,
    remedy: sentence`Make it readable for hubrelay, or remove it; ${file.meanwhile}.`,
  });
}

/** Returns the error about an object that several places define differently. Definitions at `others` are ignored. */
export function definedDifferently(object: IssueObject, others: readonly RelatedPlace[]): Issue {
  const problem = {
    code: "DuplicateObject",
    message: sentence`Defined differently in ${counted(others.length + 1, "place")}; this definition is used.`,
    remedy: "Keep one of them, or rename the others.",
  } as const;
  return { ...fieldIssue(object, "metadata.name", object.name, problem), related: others };
}
