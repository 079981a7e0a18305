import { indexScopes, isNested } from "../../images/scope.ts";
import { fieldWarning, hasErrors, type Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { type ListedScope, validateScopes } from "../input/read-image.ts";
import type { Refusing } from "../input/validate-rules.ts";
import {
  allowedAndBlocked,
  insideBlocked,
  onlyPayloadAllowed,
  outsideAllowed,
  payloadAllowedTwice,
  payloadNotAllowed,
  payloadRejected,
} from "./policy-issues.ts";
import {
  acceptAnything,
  addRequirements,
  type Requirement,
  reject,
  rejectedRepositories,
  type SignaturePolicy,
} from "./policy-json.ts";
import type { ImagePolicy, ScopedPolicies, ScopedPolicy } from "./read-policies.ts";

/** The content of all signature policy files. */
export type PolicyPlan = Readonly<{
  /** The signature policy of the whole cluster; undefined if only namespaces have signature policies. */
  clusterWide: SignaturePolicy | undefined;
  /** The scopes of namespaces' signature policies, in the order of the files. */
  namespaced: readonly ScopedPolicy[];
  /** The scopes of all signature policies. Those of cluster-wide policies come first. */
  policyScopes: readonly string[];
  isAtomicScope: (scope: string) => boolean;
}>;

/** The inputs of policy.json. */
export type PolicyInput = Readonly<{
  image: KubernetesObject | undefined;
  refusing: Refusing;
  /** The repository of the release image. The operator allows this repository once for each blocked scope around it. */
  payload: string | undefined;
  /** The repositories of the release payload, which must never be rejected. */
  needed: readonly string[];
  blocked: readonly ListedScope[];
  /** Blocked scopes that contain `payload`. They stay blocked, since the payload has an unblocked mirror. */
  containing: readonly ListedScope[];
  /** The allowed scopes. If there are any, all other scopes are rejected. */
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
 * Returns the policy scopes that take effect. Cluster-wide scopes around the repository `payload`, if given, do not.
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

/** The transport `atomic` does not accept scopes with more than two slashes. */
function hasFewComponents(scope: string): boolean {
  return scope.split("/").length <= 3;
}

function checkScopes(
  policies: readonly ScopedPolicy[],
  allowed: readonly string[],
  blocked: readonly string[],
): readonly Issue[] {
  const outside = policies.filter(
    ({ at }) => allowed.length > 0 && !allowed.some((scope) => isNested(at.scope, scope)),
  );
  const inside = policies.filter(({ at }) => blocked.some((scope) => isNested(at.scope, scope)));
  return [...outside.map(outsideAllowed), ...inside.map(insideBlocked)];
}

function planClusterWide(
  allowed: readonly string[],
  blocked: readonly string[],
  policies: readonly ScopedPolicy[],
): SignaturePolicy {
  const own = new Set(policies.map(({ at }) => at.scope));
  const scopes = new Map<string, readonly Requirement[]>();
  for (const scope of allowed) if (!own.has(scope)) scopes.set(scope, [acceptAnything]);
  for (const scope of blocked) scopes.set(scope, [reject]);
  for (const { at, requirement } of policies) addRequirements(scopes, at.scope, [requirement]);
  // With blocked scopes, the operator accepts by default, even if there are allowed scopes.
  const rejectsByDefault = allowed.length > 0 && blocked.length === 0;
  return { default: rejectsByDefault ? reject : acceptAnything, scopes };
}

function contradiction(
  { image, payload, blocked, allowed: listed, containing }: PolicyInput,
  allowed: readonly string[],
): readonly Issue[] {
  const isPayloadAlone = allowed.length === 1 && allowed[0] === payload;
  if (!image || allowed.length === 0 || blocked.length === 0 || isPayloadAlone) return [];
  return [listed.length > 0 ? allowedAndBlocked(image, listed) : payloadAllowedTwice(image, containing)];
}

/** Plans policy.json as the operator does. `plan` is undefined after an error, or if only the template is written. */
export function planPolicies(
  input: PolicyInput,
): Readonly<{ plan: PolicyPlan | undefined; issues: readonly Issue[] }> {
  const { image, payload, containing, policies } = input;
  const allowed = [...containing.map(() => payload ?? ""), ...input.allowed.map(({ scope }) => scope)];
  const blocked = input.blocked.map(({ scope }) => scope);
  const hasPolicies = policies.cluster.length > 0 || policies.namespaced.length > 0;
  if (allowed.length === 0 && blocked.length === 0 && !hasPolicies) {
    return { plan: undefined, issues: policies.issues };
  }

  const [exactly] = containing.filter(({ scope }) => scope === payload);
  const trap = image && exactly && blocked.length === 0 ? [onlyPayloadAllowed(image, exactly)] : [];
  const issues = [
    ...policies.issues,
    ...trap,
    ...contradiction(input, allowed),
    ...checkScopes(policies.cluster, allowed, blocked),
    ...validateScopes(image, "allowed", input.allowed, input.refusing).issues,
    ...checkScopes(policies.namespaced, allowed, blocked),
  ];
  if (hasErrors(issues)) return { plan: undefined, issues };

  const isTemplate = allowed.length === 0 && blocked.length === 0 && policies.cluster.length === 0;
  const clusterWide = isTemplate ? undefined : planClusterWide(allowed, blocked, policies.cluster);
  const rejected = clusterWide ? rejectedRepositories(clusterWide, input.needed) : [];
  const plan = {
    clusterWide,
    namespaced: policies.namespaced,
    policyScopes: [...policies.cluster, ...policies.namespaced].map(({ at }) => at.scope),
    isAtomicScope: hasFewComponents,
  };
  return { plan, issues: [...issues, ...rejectedPayload(input, rejected, allowed)] };
}

/** Reports rejected repositories of the payload; the operator detects none. */
function rejectedPayload(
  { image, blocked, allowed: listed, refusing }: PolicyInput,
  rejected: readonly string[],
  allowed: readonly string[],
): readonly Issue[] {
  if (!image || rejected.length === 0) return [];
  const severity = refusing === "operator" ? "warning" : "error";
  if (listed.length > 0) return [payloadNotAllowed(image, rejected, allowed, severity)];
  return blocked.flatMap((one) => {
    const inside = rejected.filter((repository) => isNested(repository, one.scope));
    return inside.length > 0 ? [payloadRejected(image, one, inside)] : [];
  });
}
