import { explanation, type Issue } from "#shared/domain/issues/issue.ts";
import { conditionOf, withCondition } from "#shared/domain/kubernetes/conditions.ts";
import { displayName, isKind, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { conditionKinds } from "./watches.ts";

const type = "Failed";

function isAbout({ object }: Issue, { kind, metadata }: KubernetesObject): boolean {
  return object.kind === kind && object.name === metadata.name && object.namespace === metadata.namespace;
}

/**
 * Plans the condition `Failed` for objects whose API has conditions: True with the first error, and False when all
 * errors are fixed. The enhancement “Add CRD ImageSourceDigestPolicy and ImageSourceTagPolicy to
 * config.openshift.io/v1” promises this condition; nothing else writes it.
 */
export function planConditions(
  objects: readonly KubernetesObject[],
  issues: readonly Issue[],
  now: Date,
): readonly Action[] {
  return objects
    .filter((object) => conditionKinds.some((kind) => isKind(kind, object)))
    .flatMap((object): Action[] => {
      const error = issues.find((issue) => issue.severity === "error" && isAbout(issue, object));
      if (!error && conditionOf(object, type)?.status !== "True") return [];
      const condition = error
        ? {
            status: "True" as const,
            reason: error.code,
            message: sentence`${error.path}: ${explanation(error)}`,
          }
        : { status: "False" as const, reason: "Resolved", message: "This object has no errors." };
      const changed = withCondition(object, { type, ...condition }, now);
      const reason = sentence`${type} is ${condition.status}: ${condition.reason}`;
      return changed
        ? [
            {
              verb: "update-status",
              object: changed,
              reason: sentence`${displayName(referenceTo(object))} ${reason}`,
            },
          ]
        : [];
    });
}
