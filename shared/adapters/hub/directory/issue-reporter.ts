import { definedDifferently, skippedPath, unreadableFile } from "../../../domain/issues/file-issues.ts";
import type { Issue } from "../../../domain/issues/issue.ts";
import { isSameDefinition } from "../semantics/stored-object.ts";
import type { FileRecord, Manifest } from "./object-index.ts";

const meanwhile = "until then the objects that were read there stay as they were";

export const unreadableIssue = (path: string, problem: string): Issue =>
  unreadableFile({ path, problem, meanwhile });

/** The first of several definitions counts, and others that are alike do no harm. */
function duplicateIssues([first, ...others]: readonly Manifest[]): readonly Issue[] {
  if (!first || others.every(({ parts }) => isSameDefinition(parts.body, first.parts.body))) return [];
  const { kind, namespace, name } = first.parts.key;
  const files = new Set([first, ...others].map(({ file }) => file));
  return [definedDifferently({ kind, ...(namespace ? { namespace } : {}), name }, [...files], first.file)];
}

/** What is called for an issue in the files, and when a change of the files has removed it. */
export type IssueListener = Readonly<{ onIssue(issue: Issue): void; onFixed?(issue: Issue): void }>;

/** Reports every issue once for each content that has it, and again when it returns after it was gone. */
export function issueReporter({ onIssue, onFixed = () => undefined }: IssueListener) {
  let reported = new Map<string, readonly Issue[]>();
  return {
    report(
      files: readonly FileRecord[],
      duplicates: readonly (readonly Manifest[])[],
      skipped: ReadonlyMap<string, string>,
    ): void {
      const current = new Map<string, readonly Issue[]>();
      for (const [path, problem] of skipped)
        current.set(`${path}\n${problem}`, [skippedPath({ path, problem, meanwhile })]);
      for (const { path, hash, issues } of files)
        if (issues.length > 0) current.set(`${path}\n${hash}`, issues);
      for (const issue of duplicates.flatMap(duplicateIssues))
        current.set(JSON.stringify([issue.object, issue.message]), [issue]);
      const fresh = [...current].filter(([identity]) => !reported.has(identity));
      const gone = [...reported].filter(([identity]) => !current.has(identity));
      reported = current;
      for (const issue of gone.flatMap(([, issues]) => issues)) onFixed(issue);
      for (const issue of fresh.flatMap(([, issues]) => issues)) onIssue(issue);
    },
  };
}
