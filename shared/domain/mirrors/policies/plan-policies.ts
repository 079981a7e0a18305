import { isNested } from "../../images/scope.ts";
import { hasErrors, type Issue } from "../../issues/issue.ts";
import { validateScopes } from "../input/read-image.ts";
import type { PolicyInput, PolicyPlan, ScopedPolicy } from "./policy-files.ts";
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

/** The `atomic` transport gets every scope with fewer than three slashes, tags and digests included. */
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
  // Blocked scopes turn the default back to accepting, even with allowed scopes.
  const rejectsByDefault = allowed.length > 0 && blocked.length === 0;
  return { default: rejectsByDefault ? reject : acceptAnything, scopes };
}

/** Returns only the first contradiction, in the operator's words. */
function contradiction(
  { image, payload, blocked, allowed: listed, containing }: PolicyInput,
  allowed: readonly string[],
): readonly Issue[] {
  const isPayloadAlone = allowed.length === 1 && allowed[0] === payload;
  if (!image || allowed.length === 0 || blocked.length === 0 || isPayloadAlone) return [];
  return [listed.length > 0 ? allowedAndBlocked(image, listed) : payloadAllowedTwice(image, containing)];
}

/**
 * Plans policy.json as machine-config-operator does: the payload joins the allowed scopes when it is blocked, which can
 * invert the meaning of the lists. Without a plan only the template is written. The operator fails with the first of the
 * errors.
 */
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

/** The operator detects no rejection of the payload. */
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
