import { indexScopes, isNested } from "../../images/scope.ts";
import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { ListedScope } from "../input/read-image.ts";
import type { Refusing } from "../input/validate-rules.ts";
import type { ImagePolicy } from "./image-policy.ts";
import type { PolicyScope } from "./policy-scope.ts";
import type { Requirement } from "./requirement.ts";

/** One scope of one policy. */
export type ScopedPolicy = Readonly<{ policy: ImagePolicy; at: PolicyScope; requirement: Requirement }>;

/** The scopes in force: cluster-wide policies take precedence over those of namespaces. */
export type ScopedPolicies = Readonly<{
  cluster: readonly ScopedPolicy[];
  namespaced: readonly ScopedPolicy[];
  issues: readonly Issue[];
}>;

/** What policy.json is planned from. */
export type PolicyInput = Readonly<{
  image: KubernetesObject | undefined;
  refusing: Refusing;
  /** The repository of the release image, which is allowed once for each scope around it that is blocked. */
  payload: string | undefined;
  /** The repositories of the release payload, which must never be rejected. */
  needed: readonly string[];
  /** Scopes that are rejected. */
  blocked: readonly ListedScope[];
  /** Blocked scopes that contain some of them, whose images have mirrors that are not blocked. */
  containing: readonly ListedScope[];
  /** Unless empty, all other scopes are rejected. */
  allowed: readonly ListedScope[];
  policies: ScopedPolicies;
}>;

function scopesOf(policies: readonly ImagePolicy[]): readonly ScopedPolicy[] {
  return policies.flatMap((policy) =>
    policy.scopes.map((at) => ({ policy, at, requirement: policy.requirement })),
  );
}

function conflictingScope({ policy, at }: ScopedPolicy): Issue {
  return fieldWarning(policy.object, at.path, at.scope, {
    code: "ConflictScopes",
    message: sentence`has conflicting scope(s) [${goQuote(at.scope)}] that equal to or nest inside existing clusterimagepolicy, only policy from clusterimagepolicy scope(s) will be applied`,
    remedy: "Remove the scope here, or from the ClusterImagePolicy that covers it.",
  });
}

function skippedScope({ policy, at }: ScopedPolicy, payload: string): Issue {
  return fieldWarning(policy.object, at.path, at.scope, {
    code: "ConflictScopes",
    message: sentence`has conflict scope(s) [${goQuote(at.scope)}] of Openshift payload repository ${payload}, skip the scope(s)`,
    remedy: "Remove the scope: this release verifies no images of its payload.",
  });
}

/**
 * Splits the policies by scope, and leaves out namespaced ones that a cluster-wide policy covers. `payload` is the
 * repository of a release whose operator skips cluster-wide scopes around it.
 */
export function scopePolicies(
  cluster: readonly ImagePolicy[],
  namespaced: readonly ImagePolicy[],
  payload?: string,
): ScopedPolicies {
  const isSkipped = ({ at }: ScopedPolicy) => payload !== undefined && isNested(payload, at.scope);
  const scopes = scopesOf(cluster);
  const clusterWide = scopes.filter((scoped) => !isSkipped(scoped));
  const covered = indexScopes(clusterWide.map(({ at }) => at.scope));
  const inNamespaces = scopesOf(namespaced);
  return {
    cluster: clusterWide,
    namespaced: inNamespaces.filter(({ at }) => !covered.covers(at.scope)),
    issues: [
      ...scopes.filter(isSkipped).map((scoped) => skippedScope(scoped, payload ?? "")),
      ...inNamespaces.filter(({ at }) => covered.covers(at.scope)).map(conflictingScope),
    ],
  };
}
