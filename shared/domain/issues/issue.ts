import { ownValue, someOf, typeName } from "../kubernetes/json/values.ts";
import { isKind, isOfAnyVersion, type Kind, type KubernetesObject } from "../kubernetes/object.ts";
import { printable, printableValue, redactTexts, sentence } from "../text/redact.ts";
import type { IssueCode } from "./issue-codes.ts";

/** The object with the invalid input: a Kubernetes object, or a file (`kind: "File"`) that could not be parsed. */
export type IssueObject = Readonly<{ kind: string; namespace?: string; name: string }>;

/** An error makes a part of the input unusable (exit code 1). A warning is only reported. */
export type Severity = "error" | "warning";

/**
 * One problem of the input. `path` leads from the object's root to the field (`spec.imageDigestMirrors[0].source`), and
 * `value` is the value there. `message` is one sentence about the problem, `remedy` one about the fix.
 */
export type Issue = Readonly<{
  code: IssueCode;
  severity: Severity;
  object: IssueObject;
  path: string;
  value: unknown;
  message: string;
  remedy: string;
  /** The file with the field; `line` and `column` count from 1. Set only for objects read from files. */
  file?: string;
  line?: number;
  column?: number;
  /** The places of the object's other definitions, or of rules that conflict with the field. */
  related?: readonly RelatedPlace[];
  /** Issues about the fields that conflict with this field, if the objects of these fields are not in files. */
  conflicting?: readonly Issue[];
}>;

/** Another place of an issue. `line` is absent if unknown. */
export type RelatedPlace = Readonly<{ file: string; line?: number }>;

/** Returns all places of an issue. */
export const placesOf = ({ file, line, related = [] }: Issue): readonly RelatedPlace[] =>
  file === undefined ? related : [{ file, ...(line === undefined ? {} : { line }) }, ...related];

/** Returns the other places of an issue as a sentence; undefined if there are none. */
export function relatedText({ related = [] }: Pick<Issue, "related">): string | undefined {
  const places = related.map(({ file, line }) => (line === undefined ? file : sentence`${file}:${line}`));
  return places.length > 0 ? sentence`See also ${someOf(places)}.` : undefined;
}

/** Returns the reference to an object for an issue. */
export function issueObject(object: KubernetesObject): IssueObject {
  const { namespace, name } = object.metadata;
  return { kind: object.kind, ...(namespace ? { namespace } : {}), name };
}

/** The problem of a field. It is an error unless `severity` says otherwise. */
export type Problem = Pick<Issue, "code" | "message" | "remedy"> & Partial<Pick<Issue, "severity">>;

/**
 * Returns the issue of a field; `path` is empty for the whole object. More people can read an issue than the object, so
 * unprintable and secret parts of the value are removed from the issue and its message.
 */
export function fieldIssue(
  object: KubernetesObject | IssueObject,
  path: string,
  value: unknown,
  { code, severity = "error", message, remedy }: Problem,
): Issue {
  const about = "metadata" in object ? issueObject(object) : object;
  const field = path.split(/[^\w-]+/).findLast((word) => /\w/.test(word)) ?? "";
  const shown = {
    path: path.replace(/"[^"]*"|[^."[\]]+/g, printableValue),
    // The value of an issue about a file is an error message, whose words `printableValue` would hide.
    value: redactTexts(
      typeof value === "string" && about.kind !== "File" ? printableValue(value) : value,
      field,
    ),
  };
  const clean = [shown.path, shown.value].flat();
  const quoting = (text: string) =>
    printable(
      [path, value].flat().reduce<string>((rest, one, index) => {
        const isQuoted = typeof one === "string" && one !== clean[index];
        return isQuoted ? rest.replaceAll(one, () => String(clean[index])) : rest;
      }, text),
    );
  return { code, severity, object: about, ...shown, message: quoting(message), remedy: quoting(remedy) };
}

/** Returns the issue of a field as a warning. */
export const fieldWarning = (
  object: KubernetesObject | IssueObject,
  path: string,
  value: unknown,
  problem: Omit<Problem, "severity">,
): Issue => fieldIssue(object, path, value, { ...problem, severity: "warning" });

/** The problem of an annotation. `value` is the invalid part of the annotation, by default all of it. */
export type AnnotationProblem = Problem & Partial<Pick<Issue, "value">>;

/** Returns the issue of an annotation. */
export function annotationIssue(
  object: KubernetesObject,
  annotation: string,
  { value = ownValue(object.metadata.annotations, annotation), ...problem }: AnnotationProblem,
): Issue {
  return fieldIssue(object, `metadata.annotations["${annotation}"]`, value, problem);
}

/** Returns the issues as warnings, for input that another program accepts nevertheless. */
export function asWarnings(issues: readonly Issue[]): readonly Issue[] {
  return issues.map((issue) => ({ ...issue, severity: "warning" }));
}

/** Reports whether one of the issues is an error. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some(({ severity }) => severity === "error");
}

/** Returns the issues that are errors. */
export function errorsOf(issues: readonly Issue[]): readonly Issue[] {
  return issues.filter(({ severity }) => severity === "error");
}

/** Counts errors and warnings. */
export function countsOf(issues: readonly Issue[]): Readonly<{ errors: number; warnings: number }> {
  const errors = errorsOf(issues).length;
  return { errors, warnings: issues.length - errors };
}

/** Returns problem and remedy as sentences. A message without a full stop gets one. */
export function explanation({ message, remedy }: Pick<Issue, "message" | "remedy">): string {
  return [/[.!?]$/.test(message) ? message : `${message}.`, remedy].filter(Boolean).join(" ");
}

/** The maximum number of issues in an outcome event, which must fit in a queue message. */
export const maxListed = 50;

/** Returns the first `maxListed` issues, which an outcome event lists, and the number of all issues. */
export function boundedIssues(
  issues: readonly Issue[],
): Readonly<{ issueCount: number; issues: readonly Issue[] }> {
  return { issueCount: issues.length, issues: issues.slice(0, maxListed) };
}

/** Returns the issue of a value of the wrong type. `wanted` is the right type, such as `a list of strings`. */
export function wrongType(object: KubernetesObject, path: string, value: unknown, wanted: string): Issue {
  return fieldIssue(object, path, value, {
    code: "InvalidType",
    message: sentence`${path} must be ${wanted}, but is ${typeName(value)}`,
    remedy: sentence`Write ${path} as ${wanted}.`,
  });
}

/** Returns an error if the object has this kind, but another API version: hubrelay would silently ignore the object. */
export function versionIssues(kind: Kind, object: KubernetesObject): readonly Issue[] {
  if (!isOfAnyVersion(kind, object) || isKind(kind, object)) return [];
  return [
    fieldIssue(object, "apiVersion", object.apiVersion, {
      code: "WrongApiVersion",
      message: sentence`${object.kind} is not served as ${object.apiVersion}`,
      remedy: sentence`Write apiVersion: ${kind.apiVersion}.`,
    }),
  ];
}
