import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Coverage } from "#shared/domain/issues/coverage.ts";
import { countsOf, type Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { AcceptedIssue } from "../repository/judged-issues.ts";

/** Returns the path of a file from the working folder, as CI systems expect it; the absolute one if it lies elsewhere. */
export function pathInRepository(file: string): string {
  const path = relative("", file);
  const isElsewhere = path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
  return (isElsewhere ? resolve(file) : path).split(sep).join("/");
}

/** An object that was checked; without a file if it was read from a hub. */
export type CheckedObject = Readonly<{ object: KubernetesObject; file?: string | undefined }>;

/** What was checked, and every issue with its place. */
export type ValidationReport = Readonly<{
  issues: readonly Issue[];
  /** Issues that do not count. */
  accepted: readonly AcceptedIssue[];
  checked: readonly CheckedObject[];
  /** The number of files that were read; undefined for a hub. */
  files: number | undefined;
  /** Issues that do not count: a change did not cause them. Absent where none is asked about. */
  folded?: readonly Issue[];
  /** The number of objects of other kinds. */
  ignored: number;
  coverage: Coverage;
  /** What the change does to what decides about it, in sentences. Absent if it is nothing. */
  note?: string;
}>;

export type Summary = Readonly<{
  objects: number;
  files: number;
  ignored: number;
  errors: number;
  warnings: number;
  accepted: number;
  /** The number of issues that a change did not cause. */
  folded?: Readonly<{ errors: number; warnings: number }>;
}>;

/** Counts what was checked, and the issues. */
export function summaryOf({
  issues,
  accepted,
  folded,
  checked,
  files = 0,
  ignored,
}: ValidationReport): Summary {
  return {
    objects: checked.length,
    files,
    ignored,
    ...countsOf(issues),
    accepted: accepted.length,
    ...(folded ? { folded: countsOf(folded) } : {}),
  };
}
