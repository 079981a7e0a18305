import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Coverage } from "#shared/domain/issues/coverage.ts";
import { countsOf, type Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { AcceptedIssue } from "../repository/judged-issues.ts";
import { gitAbove } from "../repository/repository.ts";

/** Returns a file's path from the repository's root, as CI systems expect it; absolute for a file elsewhere. */
export function pathInRepository(file: string): string {
  const path = relative(gitAbove(process.cwd()) ?? "", file);
  const isElsewhere = path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
  return (isElsewhere ? resolve(file) : path).split(sep).join("/");
}

/** A checked object, and its files: none for an object of a hub, several for a rendered object. */
export type CheckedObject = Readonly<{ object: KubernetesObject; files: readonly string[] }>;

/** The result of a check. */
export type ValidationReport = Readonly<{
  issues: readonly Issue[];
  /** Issues that do not count, since the settings or comments accept them. */
  accepted: readonly AcceptedIssue[];
  checked: readonly CheckedObject[];
  /** The number of files that were read; undefined for a hub. */
  files: number | undefined;
  /** Issues that do not count, since the change did not cause them. Absent if no change is checked. */
  folded?: readonly Issue[];
  /** The number of objects of kinds that are not checked. */
  ignored: number;
  coverage: Coverage;
  /** Sentences about newly accepted issues and changed settings; absent if there are none. */
  note?: string;
}>;

/** Counts the objects and issues of a report. */
export function summaryOf({ issues, accepted, folded, checked, files = 0, ignored }: ValidationReport) {
  return {
    objects: checked.length,
    files,
    ignored,
    ...countsOf(issues),
    accepted: accepted.length,
    ...(folded ? { folded: countsOf(folded) } : {}),
  };
}
