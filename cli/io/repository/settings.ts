import {
  choice,
  type Field,
  knownFields,
  list,
  object,
  parsed,
  readField,
  required,
  text,
  type ValueOf,
} from "#shared/domain/issues/field.ts";
import { fieldIssue, type Issue, type Problem } from "#shared/domain/issues/issue.ts";
import { type IssueCode, isIssueCode, issueCodeNames } from "#shared/domain/issues/issue-codes.ts";
import { nearestName } from "#shared/domain/issues/nearest-name.ts";
import { unknownFields } from "#shared/domain/issues/unknown-fields.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { parseRelease } from "#shared/domain/openshift/releases/release.ts";
import { isCalendarDay } from "#shared/domain/text/calendar-day.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { failConditions } from "../../program/fail-on.ts";

function matchesStep(pattern: string, step: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return pattern === step;
  if (!step.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = step.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return step.length - last.length >= at && step.endsWith(last);
}

function matchesSteps(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  // A pattern that matches a folder matches everything below it.
  if (first === undefined) return true;
  if (first === "**") return path.some((_, index) => matchesSteps(rest, path.slice(index)));
  const [step, ...below] = path;
  return step !== undefined && matchesStep(first, step) && matchesSteps(rest, below);
}

const stepsOf = (path: string): readonly string[] =>
  path.split("/").filter((step) => step !== "" && step !== ".");

/** Reports whether a pattern matches a path or a folder above it. `**` matches any number of folders. */
export function matchesPath(pattern: string, path: string): boolean {
  // Several `**` in a row mean the same as one, but they would make matching slow.
  const steps = stepsOf(pattern).filter((step, index, all) => step !== "**" || all[index - 1] !== "**");
  return steps.length > 0 && matchesSteps(steps, stepsOf(path));
}

/** Reports whether a day is over. Days end at midnight UTC. */
export function hasPassed(day: string, now: Date): boolean {
  return now.toISOString().slice(0, 10) > day;
}

/** The name of the settings file, which is in the root folder of a repository. */
export const settingsFile = ".hubrelay.yaml";

const problem = (message: string, remedy: string): Problem => ({ code: "InvalidSetting", message, remedy });
const missing = (what: string) => problem("It is missing.", sentence`Add ${what}.`);
const nonEmpty = (what: string, description: string) =>
  parsed(text({ description, minLength: 1 }), (value, path, refuse) =>
    value.trim() === "" ? refuse(path, value, missing(what)) : value,
  );

const code: Field<IssueCode | undefined> = parsed(
  text({ description: "code of issues", enum: issueCodeNames }),
  (value, path, refuse): IssueCode | undefined => {
    if (isIssueCode(value)) return value;
    const nearest = nearestName(value, issueCodeNames);
    const remedy = nearest ? sentence`Did you mean ${nearest}?` : "docs/reference/issues.md lists the codes.";
    return refuse(path, value, problem(sentence`No issue has the code ${value}.`, remedy));
  },
);
const requiredCode = required(code, missing("the code of the issue"));
const reason = required(
  nonEmpty("the reason", "why, for whoever reads it later"),
  missing("the reason, for whoever reads it later"),
);
const until = required(
  parsed(
    text({ format: "date", description: "the last day on which it applies, in UTC" }),
    (value, path, refuse) =>
      isCalendarDay(value)
        ? value
        : refuse(path, value, problem(sentence`${value} is not a day.`, "Write it as 2026-12-31.")),
  ),
  missing("the last day on which it applies, such as until: 2026-12-31"),
);
const paths = (description: string) => list(nonEmpty("a path", "path or pattern"), { description });

const cluster = object({
  name: required(
    nonEmpty("the name", "what reports name the cluster"),
    missing("a name of the cluster, for reports"),
  ),
  paths: required(
    paths("files and folders with its manifests, from the root of the repository"),
    missing("the files and folders with its manifests"),
  ),
  release: parsed(
    text({ description: "version of the release that its nodes run, in quotes: YAML reads 4.20 as 4.2" }),
    (value, path, refuse) =>
      parseRelease(value)
        ? value
        : refuse(path, value, problem(sentence`${value} is not a version.`, 'Write it as "4.20.3".')),
  ),
});

const severity = object({
  code: requiredCode,
  severity: required(choice(["error", "warning"]), missing("severity: error or severity: warning")),
  reason,
});

const acceptance = object({
  code: requiredCode,
  paths: paths("only in these files; in all without it"),
  object: text({ description: "only of this object, such as ImageDigestMirrorSet/mirrors" }),
  until,
  reason,
});

/** The schema of a repository's settings. */
export const settingsFields = object({
  clusters: list(cluster, { description: "the clusters whose manifests the repository has" }),
  exclude: list(nonEmpty("a path", "path or pattern"), {
    description:
      "paths that are not read, from the root of the repository; * is any part of a name, ** any folders",
  }),
  severities: list(severity, { description: "severities of issues, by their codes" }),
  accept: list(acceptance, { description: "issues that do not count until a day" }),
  acceptances: choice(["change", "base"], {
    description: "whose acceptances count: also those that a change adds, or only those of its base",
  }),
  failOn: list(choice(failConditions), {
    description: "what makes validate and diff exit with 1, unless --fail-on says it",
  }),
});

/** The settings of a repository. Absent fields have their defaults. */
export type Settings = Required<NonNullable<ValueOf<typeof settingsFields>>>;
type ClusterSettings = Settings["clusters"][number];
export type AcceptanceSetting = Settings["accept"][number];

/** The settings of a repository that has no settings file. */
export const noSettings: Settings = {
  clusters: [],
  exclude: [],
  severities: [],
  accept: [],
  acceptances: "change",
  failOn: [],
};

const field = "settings";
const wordsOf = (value: unknown, wanted: string): Problem =>
  problem(
    sentence`It must be ${wanted}.`,
    typeof value === "number"
      ? "Write it in quotes."
      : "docs/reference/repository-settings.md has an example.",
  );

function repeatedNames(clusters: readonly ClusterSettings[]): readonly string[] {
  const names = clusters.map(({ name }) => name);
  return [...new Set(names.filter((name, index) => names.indexOf(name) < index))];
}

/** Reads the content of a settings file. Returns the valid settings, and issues about invalid settings. */
export function readSettings(
  value: unknown,
  file: string,
): Readonly<{ settings: Settings; issues: readonly Issue[] }> {
  const whole = { apiVersion: "v1", kind: "File", metadata: { name: file }, [field]: value ?? {} };
  const { value: read, issues } = readField(whole, field, value ?? {}, settingsFields, wordsOf);
  const known = {
    ...knownFields(settingsFields.definition, field),
    "": ["apiVersion", "kind", "metadata", field],
  };
  const unknown = unknownFields(whole, known).map((issue): Issue => {
    const { message, remedy } = problem("hubrelay has no such setting.", issue.remedy);
    return { ...issue, code: "InvalidSetting", severity: "error", message, remedy };
  });
  const settings = { ...noSettings, ...read };
  const repeated = repeatedNames(settings.clusters);
  const sameName = problem(
    sentence`Clusters have the same name: ${someOf(repeated)}.`,
    "Give each its own name.",
  );
  const ofNames = repeated.length === 0 ? [] : [fieldIssue(whole, `${field}.clusters`, repeated, sameName)];
  const withoutPrefix = (issue: Issue): Issue => ({
    ...issue,
    path: issue.path.replace(/^settings\.?/, ""),
    remedy: issue.remedy.replaceAll(`below ${field}`, "at the root"),
  });
  return { settings, issues: [...issues, ...unknown, ...ofNames].map(withoutPrefix) };
}
