import { typeName } from "../json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

/** Whose input is wrong: a Kubernetes object, or the file (`kind: "File"`) it could not be read from. */
export type IssueObject = Readonly<{ kind: string; namespace?: string; name: string }>;

/** An error makes a rule unusable (exit code 1); a warning is told and changes nothing. */
export type Severity = "error" | "warning";

/**
 * One thing that is wrong with the input: a value, never thrown. `path` is the field's path from the
 * object's root (`spec.imageDigestMirrors[0].source`), `value` what was found there, `message` one sentence
 * about what is wrong, `remedy` one about the way out.
 */
export type Issue = Readonly<{
  code: string;
  severity: Severity;
  object: IssueObject;
  path: string;
  value: unknown;
  message: string;
  remedy: string;
}>;

/** Names an object in an issue. */
export function issueObject(object: KubernetesObject): IssueObject {
  const { namespace, name } = object.metadata;
  return { kind: object.kind, ...(namespace ? { namespace } : {}), name };
}

/** True when any of the issues is an error. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some(({ severity }) => severity === "error");
}

/** What is wrong and the way out, as sentences: the messages kept from other systems end without a full stop. */
export function explanation({ message, remedy }: Pick<Issue, "message" | "remedy">): string {
  return [/[.!?]$/.test(message) ? message : `${message}.`, remedy].filter(Boolean).join(" ");
}

/** An outcome event must fit in a queue message: of long lists it carries the beginning, and the whole count. */
export const longestList = 50;

/** The issues as an outcome carries them. */
export function boundedIssues(
  issues: readonly Issue[],
): Readonly<{ issueCount: number; issues: readonly Issue[] }> {
  return { issueCount: issues.length, issues: issues.slice(0, longestList) };
}

/** A field that cannot be read: `wanted` is how its type is called, for instance `a list of strings`. */
export function wrongType(object: KubernetesObject, path: string, value: unknown, wanted: string): Issue {
  return {
    code: "InvalidType",
    severity: "error",
    object: issueObject(object),
    path,
    value,
    message: `${path} must be ${wanted}, but is ${typeName(value)}`,
    remedy: `Write ${path} as ${wanted}.`,
  };
}
