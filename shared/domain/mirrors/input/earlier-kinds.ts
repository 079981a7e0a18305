import { fieldWarning, type Issue } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { PullKind } from "./rules.ts";

/** A kind that holds rules, in one or more versions of its API. */
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
 * The kinds of the design before ImageDigestMirrorSet and ImageTagMirrorSet. They never shipped under these names.
 * The tag policy removed the limit to digests, so its mirrors serve pulls of both kinds. They are merged as their
 * successors.
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

/** Reports whether the object is of this kind, in any of its API versions. */
export function isRuleKind(
  { kind, apiVersions: versions }: RuleKind,
  object: Readonly<{ apiVersion: string; kind: string }>,
): boolean {
  return object.kind === kind && versions.includes(object.apiVersion);
}

/** Reports whether the kind never shipped; machine-config-operator does not read such kinds. */
export function isEarlierKind(object: Readonly<{ apiVersion: string; kind: string }>): boolean {
  return earlierKinds.some((kind) => isRuleKind(kind, object));
}

/** Returns a warning for each object of an earlier kind: it has an effect only where hubrelay is the writer. */
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
