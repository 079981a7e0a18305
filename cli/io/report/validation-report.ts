import type { Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

/** An object that was checked; without a file if it was read from a hub. */
export type CheckedObject = Readonly<{ object: KubernetesObject; file?: string | undefined }>;

/** What was checked, and every issue with its place. */
export type ValidationReport = Readonly<{
  issues: readonly Issue[];
  checked: readonly CheckedObject[];
  /** The number of files that were read; undefined for a hub. */
  files: number | undefined;
  /** The number of objects of other kinds. */
  ignored: number;
}>;

export type Summary = Readonly<{
  objects: number;
  files: number;
  ignored: number;
  errors: number;
  warnings: number;
}>;

/** Counts what was checked, and the issues. */
export function summaryOf({ issues, checked, files = 0, ignored }: ValidationReport): Summary {
  const errors = issues.filter(({ severity }) => severity === "error").length;
  return { objects: checked.length, files, ignored, errors, warnings: issues.length - errors };
}
