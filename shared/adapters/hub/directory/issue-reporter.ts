import { skippedPath, unreadableFile } from "../../../domain/issues/file-issues.ts";
import type { Issue } from "../../../domain/issues/issue.ts";
import type { ObjectKey } from "../semantics/stored-object.ts";
import type { FileRecord } from "./object-index.ts";

export type Duplicate = Readonly<{ key: ObjectKey; files: readonly string[] }>;

const meanwhile = "until then the objects that were read there stay as they were";

export const unreadableIssue = (path: string, problem: string): Issue =>
  unreadableFile({ path, problem, meanwhile });

function duplicateIssue({ key, files: [first, ...others] }: Duplicate): Issue {
  const { kind, namespace, name } = key;
  return {
    code: "DuplicateObject",
    severity: "error",
    object: { kind, ...(namespace ? { namespace } : {}), name },
    path: "metadata.name",
    value: name,
    message: `Defined in ${first} and again in ${others.join(", ")}; the definition in ${first} is used.`,
    remedy: "Keep one of them, or rename the other.",
  };
}

/** Reports every issue once for each content that has it, and again when it returns after it was gone. */
export function issueReporter(onIssue: (issue: Issue) => void) {
  let reported = new Set<string>();
  return {
    report(
      files: readonly FileRecord[],
      duplicates: readonly Duplicate[],
      skipped: ReadonlyMap<string, string>,
    ): void {
      const current = new Map<string, readonly Issue[]>();
      for (const [path, problem] of skipped)
        current.set(`${path}\n${problem}`, [skippedPath({ path, problem, meanwhile })]);
      for (const { path, hash, issues } of files)
        if (issues.length > 0) current.set(`${path}\n${hash}`, issues);
      for (const duplicate of duplicates)
        current.set(JSON.stringify([duplicate.key, duplicate.files]), [duplicateIssue(duplicate)]);
      const fresh = [...current].filter(([identity]) => !reported.has(identity));
      reported = new Set(current.keys());
      for (const issue of fresh.flatMap(([, issues]) => issues)) onIssue(issue);
    },
  };
}
