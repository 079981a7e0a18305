import { indexScopes, isNested } from "../../images/scope.ts";
import type { Issue } from "../../issues/issue.ts";
import { type ListedScope, validateScopes } from "../input/read-image.ts";
import { isAtomicScope } from "../pull/policy-format.ts";
import type { PolicyPlan } from "./policy-files.ts";
import { allowedAndBlocked, insideBlocked, outsideAllowed, payloadNotAllowed } from "./policy-issues.ts";
import {
  acceptAnything,
  addRequirements,
  findPolicy,
  type Requirement,
  reject,
  rejectedRepositories,
  type SignaturePolicy,
} from "./requirement.ts";
import type { PolicyInput, ScopedPolicy } from "./scoped-policies.ts";

type Sorted = Readonly<{ kept: readonly ScopedPolicy[]; issues: readonly Issue[] }>;

/** Leaving out a policy for rejected images weakens nothing. */
function withoutRejected(
  policies: readonly ScopedPolicy[],
  { blocked, allowed, needed }: PolicyInput,
  rejectsOthers: boolean,
): Sorted {
  const blockedIndex = indexScopes(blocked.map(({ scope }) => scope));
  const allowedIndex = indexScopes(allowed.map(({ scope }) => scope));
  const issues: Issue[] = [];
  const kept = policies.filter((policy) => {
    const { scope } = policy.at;
    // The payload is exempt from a block around it, so its signature still counts.
    const isOfPayload = needed.some((repository) => isNested(scope, repository));
    if (blockedIndex.covers(scope) && !isOfPayload) {
      issues.push(insideBlocked(policy));
      return false;
    }
    if (rejectsOthers && !allowedIndex.covers(scope)) {
      issues.push(outsideAllowed(policy));
      return false;
    }
    return true;
  });
  return { kept, issues };
}

function isInside(repository: string, scopes: readonly ListedScope[]): boolean {
  return scopes.some(({ scope }) => isNested(repository, scope));
}

function requirementsAround(repository: string, policies: readonly ScopedPolicy[]): readonly Requirement[] {
  const scopes = new Map<string, readonly Requirement[]>();
  for (const { at, requirement } of policies) addRequirements(scopes, at.scope, [requirement]);
  const found = findPolicy({ default: acceptAnything, scopes }, { repository });
  return found.requirements;
}

function planClusterWide(
  { blocked, allowed, containing, needed, policies }: PolicyInput,
  kept: readonly ScopedPolicy[],
  rejectsOthers: boolean,
): SignaturePolicy {
  const own = new Set(kept.map(({ at }) => at.scope));
  const scopes = new Map<string, readonly Requirement[]>();
  const rejected = indexScopes(blocked.map(({ scope }) => scope));
  for (const { scope } of allowed) {
    if (!own.has(scope) && !rejected.covers(scope)) scopes.set(scope, [acceptAnything]);
  }
  for (const { scope } of blocked) scopes.set(scope, [reject]);
  for (const { at, requirement } of kept) addRequirements(scopes, at.scope, [requirement]);
  // Once anything is rejected a blocked payload is named, as machine-config-operator does, rejected or not.
  const named = blocked.length === 0 ? [] : needed.filter((one) => isInside(one, containing));
  for (const repository of named) {
    if (!own.has(repository)) scopes.set(repository, requirementsAround(repository, policies.cluster));
  }
  return { default: rejectsOthers ? reject : acceptAnything, scopes };
}

/**
 * Plans policy.json by the meaning of the lists. A blocked scope is rejected, but the release payload inside of one
 * is accepted by its name, because it comes from a mirror then. When some scopes are allowed all others are
 * rejected. Policies for images that are rejected anyway are left out with an error. `isUnsafe` when the payload
 * itself would be rejected.
 */
export function planPoliciesLenient(
  input: PolicyInput,
): Readonly<{ plan: PolicyPlan | undefined; issues: readonly Issue[]; isUnsafe: boolean }> {
  const { image, needed, policies } = input;
  const checked = validateScopes(image, "allowed", input.allowed, "default");
  const given = { ...input, allowed: checked.usable };
  const { blocked, allowed } = given;
  // A list without a usable scope still rejects all others.
  const rejectsOthers = input.allowed.length > 0;
  const allowedScopes = allowed.map(({ scope }) => scope);
  const cluster = withoutRejected(policies.cluster, given, rejectsOthers);
  const namespaced = withoutRejected(policies.namespaced, given, rejectsOthers);
  const issues = [
    ...policies.issues,
    ...checked.issues,
    ...(image && allowed.length > 0 && blocked.length > 0 ? [allowedAndBlocked(image, allowedScopes)] : []),
    ...cluster.issues,
    ...namespaced.issues,
  ];

  const hasLists = rejectsOthers || blocked.length > 0;
  if (!hasLists && cluster.kept.length === 0 && namespaced.kept.length === 0) {
    return { plan: undefined, issues, isUnsafe: false };
  }
  const isTemplate = !hasLists && cluster.kept.length === 0;
  const clusterWide = isTemplate ? undefined : planClusterWide(given, cluster.kept, rejectsOthers);
  const plan = {
    clusterWide,
    namespaced: namespaced.kept,
    policyScopes: [...cluster.kept, ...namespaced.kept]
      .filter(({ requirement }) => requirement.type === "sigstoreSigned")
      .map(({ at }) => at.scope),
    isAtomicScope,
  };
  const rejected = clusterWide ? rejectedRepositories(clusterWide, needed) : [];
  const isUnsafe = image !== undefined && rejected.length > 0;
  if (isUnsafe) issues.push(payloadNotAllowed(image, rejected, allowedScopes, "error"));
  return { plan, issues, isUnsafe };
}
