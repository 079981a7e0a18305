import { fieldIssue, fieldWarning, type Issue, type Problem } from "../../issues/issue.ts";
import { displayName, isKind, type KubernetesObject, kinds, referenceTo } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";

/** The kinds that preceded ImageDigestMirrorSet and ImageTagMirrorSet. `infra/crds` has their CRDs for hubs. */
export const sourcePolicyKinds = [
  kinds.ImageSourceDigestPolicy,
  kinds.ImageSourceTagPolicy,
  kinds.OperatorImageSourceDigestPolicy,
  kinds.OperatorImageSourceTagPolicy,
] as const;

/** All kinds with rules that name mirrors. */
export const mirrorRuleKinds = [
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.ImageContentSourcePolicy,
  ...sourcePolicyKinds,
] as const;

/** The pulls that a rule's mirrors serve: by digest, by tag, or both. */
export type PullKind = "digest" | "tag" | "any";

/** The kind with mirrors for pulls by digest, and the kind with mirrors for pulls by tag. */
export const setKinds = {
  digest: kinds.ImageDigestMirrorSet.kind,
  tag: kinds.ImageTagMirrorSet.kind,
} as const satisfies Partial<Record<PullKind, string>>;

/** The position of a rule: `spec.<list>[<index>]` of an object. */
export type RuleOrigin = Readonly<{ object: KubernetesObject; list: string; index: number }>;

/** One rule of a mirror object. The mirrors are in their order of preference. */
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

/** Returns an issue about a field of a rule, e.g. `mirrors[0]`; about the whole rule when `field` is empty. */
export function ruleIssue({ origin }: MirrorRule, field: string, value: unknown, problem: Problem): Issue {
  const path = field === "" ? rulePath(origin) : `${rulePath(origin)}.${field}`;
  return fieldIssue(origin.object, path, value, problem);
}

/** Returns the name of a rule for messages: `ImageDigestMirrorSet/acme spec.imageDigestMirrors[3]`. */
export function ruleName({ origin }: MirrorRule): string {
  return sentence`${displayName(referenceTo(origin.object))} ${rulePath(origin)}`;
}

/** Reports whether any name occurs twice. For a short list, comparing all pairs is faster than building a set. */
export function hasRepeats(names: readonly string[]): boolean {
  // Stryker disable next-line ConditionalExpression,EqualityOperator: both ways give the same result
  const isLong = names.length > 16;
  if (isLong) return new Set(names).size < names.length;
  for (let i = 1; i < names.length; i++) {
    for (let j = 0; j < i; j++) if (names[i] === names[j]) return true;
  }
  return false;
}

/** A kind of objects that have rules. */
export type RuleKind = Readonly<{
  kind: string;
  apiVersions: readonly [string, ...string[]];
  /** The field of `spec` that holds the rules. */
  list: string;
  pullKind: PullKind;
  /** True if the kind's rules may have a `mirrorSourcePolicy`. */
  hasPolicy: boolean;
}>;

const apiVersions: RuleKind["apiVersions"] = ["config.openshift.io/v1", "operator.openshift.io/v1alpha1"];

const earlierKind = (kind: string, list: string, pullKind: PullKind): RuleKind => ({
  kind,
  apiVersions,
  list,
  pullKind,
  hasPolicy: false,
});

/** The kinds that preceded ImageDigestMirrorSet and ImageTagMirrorSet. OpenShift never shipped them. */
export const earlierKinds: readonly RuleKind[] = [
  earlierKind("ImageSourceDigestPolicy", "repositoryDigestMirrors", "digest"),
  earlierKind("ImageSourceTagPolicy", "repositoryTagMirrors", "any"),
];

/** Reports whether the object is of this kind, in any of its API versions. */
export function isRuleKind(
  { kind, apiVersions: versions }: RuleKind,
  object: Readonly<{ apiVersion: string; kind: string }>,
): boolean {
  return object.kind === kind && versions.includes(object.apiVersion);
}

/** Reports whether an object is of one of the `earlierKinds`. machine-config-operator does not read such objects. */
export function isEarlierKind(object: Readonly<{ apiVersion: string; kind: string }>): boolean {
  return earlierKinds.some((kind) => isRuleKind(kind, object));
}

/** Returns a warning for each object of one of the `earlierKinds`. OpenShift does not read such objects. */
export function supersededKinds(objects: readonly KubernetesObject[], writer: string): readonly Issue[] {
  return objects.filter(isEarlierKind).map((object) =>
    fieldWarning(object, "kind", object.kind, {
      code: "SupersededKind",
      message:
        writer === "hubrelay"
          ? sentence`${object.kind} was superseded before it shipped; OpenShift does not read it`
          : sentence`${object.kind} was superseded before it shipped; OpenShift does not read it, so its rules have no effect on nodes: hubrelay merges them only into MachineConfigs that it was asked to write`,
      remedy: "Convert it with `hubrelay convert`.",
    }),
  );
}

/** Returns a warning for each ImageContentSourcePolicy, whose kind is deprecated. */
export function contentSourcePolicies(objects: readonly KubernetesObject[]): readonly Issue[] {
  return objects
    .filter((object) => isKind(kinds.ImageContentSourcePolicy, object))
    .map((object) =>
      fieldWarning(object, "kind", object.kind, {
        code: "DeprecatedKind",
        message: sentence`${object.kind} is deprecated`,
        remedy:
          "Create the ImageDigestMirrorSet that `hubrelay convert` makes of it, then delete it; `--check` proves that no node is affected.",
      }),
    );
}
