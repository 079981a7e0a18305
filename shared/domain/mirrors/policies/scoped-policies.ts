import { goQuote } from "../../go-compat/go-quote.ts";
import { indexScopes } from "../../images/scope.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import type { ImagePolicy, PolicyScope } from "./image-policy.ts";
import type { Requirement } from "./requirement.ts";

/** One scope of one policy. */
export type ScopedPolicy = Readonly<{ policy: ImagePolicy; at: PolicyScope; requirement: Requirement }>;

/** The scopes in force: cluster-wide policies take precedence over those of namespaces. */
export type ScopedPolicies = Readonly<{
  cluster: readonly ScopedPolicy[];
  namespaced: readonly ScopedPolicy[];
  issues: readonly Issue[];
}>;

function scopesOf(policies: readonly ImagePolicy[]): readonly ScopedPolicy[] {
  return policies.flatMap((policy) =>
    policy.scopes.map((at) => ({ policy, at, requirement: policy.requirement })),
  );
}

function conflictingScope({ policy, at }: ScopedPolicy): Issue {
  return fieldIssue(policy.object, at.path, at.scope, {
    code: "ConflictScopes",
    severity: "warning",
    message: `has conflicting scope(s) [${goQuote(at.scope)}] that equal to or nest inside existing clusterimagepolicy, only policy from clusterimagepolicy scope(s) will be applied`,
    remedy: "Remove the scope here, or from the ClusterImagePolicy that covers it.",
  });
}

/** Splits the policies by scope, and leaves out namespaced ones that a cluster-wide policy covers. */
export function scopePolicies(
  cluster: readonly ImagePolicy[],
  namespaced: readonly ImagePolicy[],
): ScopedPolicies {
  const clusterWide = scopesOf(cluster);
  const covered = indexScopes(clusterWide.map(({ at }) => at.scope));
  const inNamespaces = scopesOf(namespaced);
  return {
    cluster: clusterWide,
    namespaced: inNamespaces.filter(({ at }) => !covered.covers(at.scope)),
    issues: inNamespaces.filter(({ at }) => covered.covers(at.scope)).map(conflictingScope),
  };
}
