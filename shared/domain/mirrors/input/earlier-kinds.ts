import { type Issue, issueObject } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { PullKind } from "./rules.ts";

/** A kind that rules are written in, in one or more versions of its API. */
export type RuleKind = Readonly<{
  kind: string;
  apiVersions: readonly [string, ...string[]];
  /** The field of `spec` that holds the rules. */
  list: string;
  pullKind: PullKind;
  /** Its rules may have a `mirrorSourcePolicy`. */
  hasPolicy: boolean;
}>;

const apiVersions: RuleKind["apiVersions"] = ["config.openshift.io/v1", "operator.openshift.io/v1alpha1"];

/**
 * The kinds of the design that came before ImageDigestMirrorSet and ImageTagMirrorSet. They never shipped under
 * these names. The tag policy lifted the limit to digests, so that its mirrors serve pulls of both kinds.
 */
export const earlierKinds: readonly RuleKind[] = [
  {
    kind: "ImageSourceDigestPolicy",
    apiVersions,
    list: "repositoryDigestMirrors",
    pullKind: "digest",
    hasPolicy: false,
  },
  {
    kind: "ImageSourceTagPolicy",
    apiVersions,
    list: "repositoryTagMirrors",
    pullKind: "any",
    hasPolicy: false,
  },
];

/** True when the object is of this kind, in any of its API versions. */
export function isRuleKind(
  { kind, apiVersions: versions }: RuleKind,
  object: Readonly<{ apiVersion: string; kind: string }>,
): boolean {
  return object.kind === kind && versions.includes(object.apiVersion);
}

/** True for the kinds that never shipped; machine-config-operator does not read them. */
export function isEarlierKind(object: Readonly<{ apiVersion: string; kind: string }>): boolean {
  return earlierKinds.some((kind) => isRuleKind(kind, object));
}

/** A warning for each object of an earlier kind: it is rendered by its own meaning, but no cluster serves it. */
export function supersededKinds(objects: readonly KubernetesObject[]): readonly Issue[] {
  return objects.filter(isEarlierKind).map((object) => ({
    code: "SupersededKind",
    severity: "warning",
    object: issueObject(object),
    path: "kind",
    value: object.kind,
    message: `${object.kind} was superseded before it shipped; no cluster serves it`,
    remedy: "Convert it with `hubrelay convert`.",
  }));
}
