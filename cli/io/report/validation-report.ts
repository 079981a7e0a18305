import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Coverage } from "#shared/domain/issues/coverage.ts";
import { countsOf, type Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { AcceptedIssue } from "../repository/judged-issues.ts";
import { gitAbove } from "../repository/repository.ts";

/** Returns the path of a file from the root of the repository, as CI systems expect it; an absolute path for files elsewhere. */
export function pathInRepository(file: string): string {
  const path = relative(gitAbove(process.cwd()) ?? "", file);
  const isElsewhere = path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
  return (isElsewhere ? resolve(file) : path).split(sep).join("/");
}

/** A checked object, with the files that it is made from: none if it was read from a hub, several if it is rendered. */
export type CheckedObject = Readonly<{ object: KubernetesObject; files: readonly string[] }>;

/** The checked objects, and every issue with its place. */
export type ValidationReport = Readonly<{
  issues: readonly Issue[];
  /** Issues that do not count because they are accepted. */
  accepted: readonly AcceptedIssue[];
  checked: readonly CheckedObject[];
  /** The number of files read; undefined for a hub. */
  files: number | undefined;
  /** Issues that do not count because the change did not cause them. Absent without a change. */
  folded?: readonly Issue[];
  /** The number of objects of kinds that are not checked. */
  ignored: number;
  coverage: Coverage;
  /** Sentences about the change's effects on the settings of its own check. Absent without effects. */
  note?: string;
}>;

/** Counts the checked objects and the issues. */
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
