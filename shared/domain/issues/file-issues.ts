import type { Issue, IssueObject } from "./issue.ts";

type FileProblem = Readonly<{
  path: string;
  /** Why it cannot be read. */
  problem: string;
  /** What happens to the objects in it. */
  meanwhile: string;
}>;

function fileIssue(
  { path, problem }: FileProblem,
  { code, severity, message, remedy }: Pick<Issue, "code" | "severity" | "message" | "remedy">,
): Issue {
  const object = { kind: "File", name: path };
  return { code, severity, object, path, value: problem, message, remedy, file: path, line: 1, column: 1 };
}

/** Returns the error about a file that cannot be read. */
export function unreadableFile(file: FileProblem): Issue {
  return fileIssue(file, {
    code: "UnreadableFile",
    severity: "error",
    message: `${file.path} cannot be read: ${file.problem}.`,
    remedy: `Make it readable for hubrelay, or split it; ${file.meanwhile}.`,
  });
}

/** Returns the warning about a path that is left out: a folder that cannot be read, or what is not a file. */
export function skippedPath(file: FileProblem): Issue {
  return fileIssue(file, {
    code: "SkippedPath",
    severity: "warning",
    message: `${file.path} is left out: ${file.problem}.`,
    remedy: `Make it readable for hubrelay, or remove it; ${file.meanwhile}.`,
  });
}

/** Returns the error about an object whose definitions in these places differ; the one in `used` counts. */
export function definedDifferently(object: IssueObject, places: readonly string[], used: string): Issue {
  return {
    code: "DuplicateObject",
    severity: "error",
    object,
    path: "metadata.name",
    value: object.name,
    message: `Defined differently in ${places.join(", ")}; the definition in ${used} is used.`,
    remedy: "Keep one of them, or rename the others.",
  };
}
