import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { isOfOtherVersion } from "../../issues/served-version.ts";
import { isKind, type Kind, kinds } from "../../kubernetes/kinds.ts";
import { byNamespaceAndName, type KubernetesObject } from "../../kubernetes/object.ts";
import type { Compat } from "../input/validate-rules.ts";
import { type ImagePolicy, readImagePolicy } from "./image-policy.ts";

export type ImagePolicies = Readonly<{
  cluster: readonly ImagePolicy[];
  namespaced: readonly ImagePolicy[];
  /** A policy cannot be rendered. Without it, images would pass that it must stop. */
  hasUnusable: boolean;
  issues: readonly Issue[];
}>;

function otherVersion({ apiVersion }: Kind, object: KubernetesObject, compat: Compat): Issue {
  return fieldIssue(object, "apiVersion", object.apiVersion, {
    code: "WrongApiVersion",
    severity: compat === "mco" ? "warning" : "error",
    message: `${object.kind} is not read as ${object.apiVersion}; images in its scopes would not be verified`,
    remedy: `Write apiVersion: ${apiVersion}.`,
  });
}

/**
 * Reads all ClusterImagePolicies and ImagePolicies, by namespace and name: several policies of one scope add their
 * requirements in this order, so that the file does not depend on the order of the input.
 */
export function readImagePolicies(objects: readonly KubernetesObject[], compat: Compat): ImagePolicies {
  const issues: Issue[] = [];
  let hasUnusable = false;
  const readKind = (kind: Kind): readonly ImagePolicy[] => {
    // Another project has a ClusterImagePolicy in an API group of its own, which is not affected.
    for (const object of objects.filter((candidate) => isOfOtherVersion(kind, candidate))) {
      issues.push(otherVersion(kind, object, compat));
      hasUnusable = true;
    }
    return objects
      .filter((object) => isKind(kind, object))
      .sort(byNamespaceAndName)
      .flatMap((object) => {
        const read = readImagePolicy(object, compat);
        for (const issue of read.issues) issues.push(issue);
        if (!read.policy) hasUnusable = true;
        return read.policy ?? [];
      });
  };
  const cluster = readKind(kinds.ClusterImagePolicy);
  const namespaced = readKind(kinds.ImagePolicy);
  return { cluster, namespaced, hasUnusable, issues };
}
