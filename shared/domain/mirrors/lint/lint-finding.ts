import type { ImageReference } from "../../images/image-reference.ts";
import { fieldWarning, type Issue, type Problem } from "../../issues/issue.ts";
import { someOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { ListedScope } from "../input/read-image.ts";
import { type MirrorRule, ruleIssue } from "../input/rules.ts";
import type { MergedSources } from "../merge/merge.ts";
import type { ImagePolicy } from "../policies/read-policies.ts";
import type { RegistryEntry } from "../registries-conf/registries-conf.ts";

/** A finding at one field whose value is valid, but probably not intended. */
export type LintFinding = Readonly<{
  issue: Issue;
  /** The cause. Findings of one object that have the same cause become one issue. */
  about: string;
}>;

type FindingProblem = Omit<Problem, "severity"> & Readonly<{ about: string }>;

/** Returns a finding about a field of a rule; about the whole rule when `field` is empty. */
export function lintFinding(
  rule: MirrorRule,
  field: string,
  value: unknown,
  { about, ...problem }: FindingProblem,
): LintFinding {
  return { about, issue: ruleIssue(rule, field, value, { ...problem, severity: "warning" }) };
}

/** Returns a finding about a scope in a list of the Image configuration. */
export function scopeFinding(
  image: KubernetesObject,
  { path, scope }: ListedScope,
  { about, ...problem }: FindingProblem,
): LintFinding {
  return { about, issue: fieldWarning(image, path, scope, problem) };
}

function alsoAt(paths: readonly string[]): string {
  return paths.length === 0 ? "" : sentence`; the same applies to ${someOf(paths)}`;
}

/** Merges findings with the same object and cause into one warning, at the first finding's place. */
export function gather(findings: readonly LintFinding[]): readonly Issue[] {
  const groups = Map.groupBy(findings, ({ issue: { code, object }, about }) =>
    JSON.stringify([code, object, about]),
  );
  return [...groups.values()].flatMap(([first, ...others]): Issue[] => {
    if (!first) return [];
    const { issue } = first;
    return [{ ...issue, message: issue.message + alsoAt(others.map((other) => other.issue.path)) }];
  });
}

/** What `lint` checks: a built configuration and its inputs. */
export type Assembled = Readonly<{
  rules: readonly MirrorRule[];
  merged: MergedSources;
  entries: readonly RegistryEntry[];
  image: KubernetesObject | undefined;
  insecure: readonly ListedScope[];
  /** The scopes that registries.conf blocks. */
  blocked: readonly ListedScope[];
  /** The blocked scopes that policy.json rejects. */
  rejected: readonly ListedScope[];
  /** The allowed scopes. If there are any, policy.json rejects all other scopes. */
  allowed: readonly ListedScope[];
  /** The images of the release. Their sources are not reported as rejected. */
  needed: readonly ImageReference[];
  publishedRepositories: readonly string[];
  /** The host of the cluster's own image registry, if it has one. */
  internalRegistry: string | undefined;
  /** The valid signature policies, whether rendered or not. */
  policies: readonly ImagePolicy[];
}>;
