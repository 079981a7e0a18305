import { type Issue, issueObject } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

/** A window whose freezes leave no opening from now on. */
export function withoutOpenings(object: KubernetesObject): Issue {
  return {
    code: "NeverOpens",
    severity: "error",
    object: issueObject(object),
    path: "spec.exclusions",
    value: Object(object.spec).exclusions,
    message: "Every opening from now on lies in a freeze",
    remedy: "Let the last freeze end, or delete the window.",
  };
}
