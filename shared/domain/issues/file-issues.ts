import type { Issue, IssueObject } from "./issue.ts";

type FileProblem = Readonly<{
  path: string;
  /** Why it cannot be read. */
  problem: string;
  /** What happens to the objects in it. */
  meanwhile: string;
}>;

const startOf = (file: string) => ({ file, line: 1, column: 1 });

/** Returns the error about a file that cannot be read. */
export function unreadableFile({ path, problem, meanwhile }: FileProblem): Issue {
  return {
    code: "UnreadableFile",
    severity: "error",
    object: { kind: "File", name: path },
    path,
    value: problem,
    message: `${path} cannot be read: ${problem}.`,
    remedy: `Make it readable for hubrelay, or split it; ${meanwhile}.`,
    ...startOf(path),
  };
}

/** Returns the warning about a path that is left out: a folder that cannot be read, or what is not a file. */
export function skippedPath({ path, problem, meanwhile }: FileProblem): Issue {
  return {
    code: "SkippedPath",
    severity: "warning",
    object: { kind: "File", name: path },
    path,
    value: problem,
    message: `${path} is left out: ${problem}.`,
    remedy: `Make it readable for hubrelay, or remove it; ${meanwhile}.`,
    ...startOf(path),
  };
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
