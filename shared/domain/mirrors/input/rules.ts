import { fieldIssue, type Issue, type Problem } from "../../issues/issue.ts";
import { displayName, type KubernetesObject, kinds, referenceTo } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";

/** The kinds of the design before ImageDigestMirrorSet and ImageTagMirrorSet; a hub serves them by `infra/crds`. */
export const sourcePolicyKinds = [
  kinds.ImageSourceDigestPolicy,
  kinds.ImageSourceTagPolicy,
  kinds.OperatorImageSourceDigestPolicy,
  kinds.OperatorImageSourceTagPolicy,
] as const;

/** Every kind whose rules name mirrors: functions and commands all read the same. */
export const mirrorRuleKinds = [
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.ImageContentSourcePolicy,
  ...sourcePolicyKinds,
] as const;

/** The pulls that a rule's mirrors serve: by digest, by tag, or both. */
export type PullKind = "digest" | "tag" | "any";

/** The kinds whose mirrors serve only pulls by digest, or only those by tag. */
export const setKinds = {
  digest: kinds.ImageDigestMirrorSet.kind,
  tag: kinds.ImageTagMirrorSet.kind,
} as const satisfies Partial<Record<PullKind, string>>;

/** The position of a rule: `spec.<list>[<index>]` of an object. */
export type RuleOrigin = Readonly<{ object: KubernetesObject; list: string; index: number }>;

/** One (source, mirrors, policy) entry of a mirror object, in its own order of preference. */
export type MirrorRule = Readonly<{
  pullKind: PullKind;
  source: string;
  mirrors: readonly string[];
  /** `AllowContactingSource` when the object does not set it. */
  policy: string;
  origin: RuleOrigin;
}>;

export const allowContactingSource = "AllowContactingSource";
export const neverContactSource = "NeverContactSource";

/** Returns the field path of a rule, e.g. `spec.imageDigestMirrors[3]`. */
export function rulePath({ list, index }: RuleOrigin): string {
  return `spec.${list}[${index}]`;
}

/** Returns an issue about a field of a rule, e.g. `mirrors[0]`; about the whole rule when it is empty. */
export function ruleIssue({ origin }: MirrorRule, field: string, value: unknown, problem: Problem): Issue {
  const path = field === "" ? rulePath(origin) : `${rulePath(origin)}.${field}`;
  return fieldIssue(origin.object, path, value, problem);
}

/** Returns the name of a rule in messages: `ImageDigestMirrorSet/acme spec.imageDigestMirrors[3]`. */
export function ruleName({ origin }: MirrorRule): string {
  return sentence`${displayName(referenceTo(origin.object))} ${rulePath(origin)}`;
}

/** Reports whether a name occurs twice. Comparing all pairs of a short list is faster than building a set. */
export function hasRepeats(names: readonly string[]): boolean {
  // Stryker disable next-line ConditionalExpression,EqualityOperator: both ways give the same result
  const isLong = names.length > 16;
  if (isLong) return new Set(names).size < names.length;
  for (let i = 1; i < names.length; i++) {
    for (let j = 0; j < i; j++) if (names[i] === names[j]) return true;
  }
  return false;
}
