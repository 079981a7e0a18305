import type { Issue } from "../../issue.ts";
import { isKind, type Kind, kinds } from "../../kubernetes/kinds.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { byCodeUnit } from "../../order.ts";
import type { Judge } from "../validate.ts";
import { type ImagePolicy, readImagePolicy } from "./image-policy.ts";

export type ImagePolicies = Readonly<{
  cluster: readonly ImagePolicy[];
  namespaced: readonly ImagePolicy[];
  /** Some policy cannot be rendered. Without it images would pass that it was to stop. */
  hasUnusable: boolean;
  issues: readonly Issue[];
}>;

/**
 * Reads all ClusterImagePolicies and ImagePolicies, by namespace and name: several policies of one scope add
 * their requirements in this order, so that the file does not depend on the order of the input.
 */
export function readImagePolicies(objects: readonly KubernetesObject[], judge: Judge): ImagePolicies {
  const issues: Issue[] = [];
  let hasUnusable = false;
  const readKind = (kind: Kind): readonly ImagePolicy[] =>
    objects
      .filter((object) => isKind(kind, object))
      .sort(
        (a, b) =>
          byCodeUnit(a.metadata.namespace ?? "", b.metadata.namespace ?? "") ||
          byCodeUnit(a.metadata.name, b.metadata.name),
      )
      .flatMap((object) => {
        const read = readImagePolicy(object, judge);
        for (const issue of read.issues) issues.push(issue);
        if (!read.policy) hasUnusable = true;
        return read.policy ?? [];
      });
  const cluster = readKind(kinds.ClusterImagePolicy);
  const namespaced = readKind(kinds.ImagePolicy);
  return { cluster, namespaced, hasUnusable, issues };
}
