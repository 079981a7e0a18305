import { definedDifferently, skippedPath, unreadableFile } from "../../../domain/issues/file-issues.ts";
import type { Issue } from "../../../domain/issues/issue.ts";
import { isSameDefinition } from "../semantics/stored-object.ts";
import type { Manifest } from "./folder-objects.ts";

const meanwhile = "until then the objects that were read there stay as they were";

export const unreadableIssue = (path: string, problem: string): Issue =>
  unreadableFile({ path, problem, meanwhile });

/** The first of several definitions counts, and others that are alike do no harm. */
function duplicateIssues([first, ...others]: readonly Manifest[]): readonly Issue[] {
  if (!first || others.every(({ parts }) => isSameDefinition(parts.body, first.parts.body))) return [];
  const { kind, namespace, name } = first.parts.key;
  const object = { kind, ...(namespace ? { namespace } : {}), name };
  const places = others.map(({ file }) => ({ file }));
  return [{ ...definedDifferently(object, places), file: first.file }];
}

/** What is called for an issue in the files, and when a change of the files has removed it. */
export type IssueListener = Readonly<{ onIssue?(issue: Issue): void; onFixed?(issue: Issue): void }>;

/** Returns a function that reports every issue once, and again when it returns after it was gone. */
export function issueReporter({ onIssue, onFixed }: IssueListener) {
  let reported = new Map<string, Issue>();
  return function report(
    ofFiles: readonly Issue[],
    duplicates: readonly (readonly Manifest[])[],
    skipped: ReadonlyMap<string, string>,
  ): void {
    const ofPaths = [...skipped].map(([path, problem]) => skippedPath({ path, problem, meanwhile }));
    const issues = [...ofPaths, ...ofFiles, ...duplicates.flatMap(duplicateIssues)];
    const current = new Map(issues.map((issue) => [JSON.stringify(issue), issue]));
    const before = reported;
    reported = current;
    for (const [text, issue] of before) if (!current.has(text)) onFixed?.(issue);
    for (const [text, issue] of current) if (!before.has(text)) onIssue?.(issue);
  };
}
