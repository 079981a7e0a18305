import { describe, expect, test } from "vitest";
import { type GivenPolicies, payload, policyInput } from "./fixtures.ts";
import { planPoliciesLenient } from "./plan-lenient.ts";
import { planPoliciesMcoCompat } from "./plan-mco-compat.ts";
import type { PolicyPlan } from "./policy-files.ts";

const short: Record<string, string> = { reject: "-", insecureAcceptAnything: "+", sigstoreSigned: "signed" };

const brief = (plan: PolicyPlan | undefined) => {
  const policy = plan?.clusterWide;
  if (!policy) return plan ? "template" : "none";
  const scopes = [...policy.scopes].map(
    ([scope, list]) => `${scope} ${list.map(({ type }) => short[type]).join(" ")}`,
  );
  return [short[policy.default.type], ...scopes.sort()].join(" | ");
};

const mco = (given: GivenPolicies) => {
  const { plan, issues } = planPoliciesMcoCompat(policyInput(given));
  return {
    plan: brief(plan),
    issues: issues.map(({ code, severity, path }) => `${severity} ${code} ${path}`),
  };
};

const safe = (given: GivenPolicies) => {
  const { plan, issues, isUnsafe } = planPoliciesLenient(policyInput(given));
  return {
    plan: brief(plan),
    issues: issues.map(({ code, severity, path }) => `${severity} ${code} ${path}`),
    isUnsafe,
  };
};

const blockedPath = "spec.registrySources.blockedRegistries";

const allowedPath = "spec.registrySources.allowedRegistries";

describe("both ways to plan", () => {
  test.for<{ name: string; given: GivenPolicies; plan: string }>([
    { name: "nothing is given", given: {}, plan: "none" },
    { name: "only a namespace has a policy", given: { namespaced: { "ns/p": ["a.io"] } }, plan: "template" },
    { name: "scopes are blocked", given: { blocked: ["b.io", "*.c.io"] }, plan: "+ | *.c.io - | b.io -" },
    { name: "scopes are allowed", given: { allowed: ["quay.io", "a.io"] }, plan: "- | a.io + | quay.io +" },
    {
      name: "a policy has an allowed scope and one inside",
      given: { allowed: ["quay.io", "a.io"], cluster: { p: ["a.io", "quay.io/x"] } },
      plan: "- | a.io signed | quay.io + | quay.io/x signed",
    },
    {
      name: "a policy is beside blocked scopes",
      given: { blocked: ["b.io/x"], cluster: { p: ["b.io"] } },
      plan: "+ | b.io signed | b.io/x -",
    },
    {
      name: "two policies share a scope",
      given: { cluster: { p: ["a.io"], q: ["a.io", "c.io"] } },
      plan: "+ | a.io signed signed | c.io signed",
    },
  ])("When $name, it should plan $plan", ({ given, plan }) => {
    expect(mco(given)).toEqual({ plan, issues: [] });
    expect(safe(given)).toEqual({ plan, issues: [], isUnsafe: false });
  });

  test("When a cluster-wide policy covers a namespaced scope, it should leave that out with a warning", () => {
    const given = { cluster: { p: ["a.io"] }, namespaced: { "ns/q": ["a.io/x", "b.io", "a.io"] } };
    const issues = ["warning ConflictScopes spec.scopes[0]", "warning ConflictScopes spec.scopes[2]"];
    expect(mco(given)).toEqual({ plan: "+ | a.io signed", issues });
    expect(safe(given).issues).toEqual(issues);
    const { plan } = planPoliciesLenient(policyInput(given));
    expect(plan?.namespaced.map(({ at }) => at.scope)).toEqual(["b.io"]);
  });
});

describe("planPoliciesLikeMco", () => {
  test.for<{ name: string; given: GivenPolicies; plan: string; issues: string[] }>([
    {
      name: "exactly the payload's repository is blocked",
      given: { containing: [payload] },
      plan: `- | ${payload} +`,
      issues: [`warning OnlyPayloadAllowed ${blockedPath}[0]`],
    },
    {
      name: "one scope around the payload is blocked",
      given: { blocked: ["quay.io"], containing: ["quay.io"] },
      plan: `+ | quay.io - | ${payload} +`,
      issues: [],
    },
    {
      name: "two scopes around the payload are blocked",
      given: { blocked: ["quay.io", "quay.io/rel"], containing: ["quay.io", "quay.io/rel"] },
      plan: "none",
      issues: [`error AllowedAndBlocked ${blockedPath}`],
    },
    {
      name: "the payload's repository and a scope around it are blocked",
      given: { blocked: ["quay.io"], containing: ["quay.io", payload] },
      plan: "none",
      issues: [`error AllowedAndBlocked ${blockedPath}`],
    },
    {
      name: "a blocked scope is what only newer API servers refuse",
      given: { blocked: ["b.io/x:tag"] },
      plan: "+ | b.io/x:tag -",
      issues: [],
    },
    {
      name: "both lists are given",
      given: { blocked: ["b.io"], allowed: ["a.io"] },
      plan: "none",
      issues: [`error AllowedAndBlocked ${allowedPath}`],
    },
    {
      name: "a policy is not allowed because the payload is",
      given: { blocked: ["quay.io"], containing: ["quay.io"], cluster: { p: ["a.io"] } },
      plan: "none",
      issues: ["error PolicyScopeNotAllowed spec.scopes[0]"],
    },
    {
      name: "a policy lies in a blocked scope",
      given: { blocked: ["b.io"], namespaced: { "ns/p": ["c.io", "b.io/x"] } },
      plan: "none",
      issues: ["error PolicyScopeBlocked spec.scopes[1]"],
    },
    {
      name: "an allowed scope cannot be rendered",
      given: { allowed: ["*.a.io/x"] },
      plan: "none",
      issues: [`error InvalidScope ${allowedPath}[0]`],
    },
  ])("When $name, it should plan $plan and report $issues", ({ given, plan, issues }) => {
    expect(mco(given)).toEqual({ plan, issues });
  });
});

describe("planPoliciesSafely", () => {
  test.for<{ name: string; given: GivenPolicies; plan: string; issues: string[]; isUnsafe?: boolean }>([
    {
      name: "exactly the payload's repository is blocked",
      given: { containing: [payload] },
      plan: "none",
      issues: [],
    },
    {
      name: "exactly the payload's repository is blocked, and another scope",
      given: { blocked: ["b.io"], containing: [payload] },
      plan: `+ | b.io - | ${payload} +`,
      issues: [],
    },
    {
      name: "two scopes around the payload are blocked",
      given: { blocked: ["quay.io", "quay.io/rel", "b.io"], containing: ["quay.io", "quay.io/rel"] },
      plan: `+ | b.io - | quay.io - | quay.io/rel - | ${payload} +`,
      issues: [],
    },
    {
      name: "a blocked payload has a signature policy",
      given: {
        blocked: ["quay.io"],
        containing: ["quay.io"],
        cluster: { p: [payload], q: [`${payload}/x`] },
      },
      plan: `+ | quay.io - | ${payload} signed | ${payload}/x signed`,
      issues: [],
    },
    {
      name: "a signature policy lies between the block and the payload",
      given: { blocked: ["quay.io"], containing: ["quay.io"], cluster: { p: ["quay.io/rel"] } },
      plan: `+ | quay.io - | ${payload} signed`,
      issues: ["error PolicyScopeBlocked spec.scopes[0]"],
    },
    {
      name: "both lists are given",
      given: { blocked: ["b.io"], allowed: ["quay.io"] },
      plan: "- | b.io - | quay.io +",
      issues: [`error AllowedAndBlocked ${allowedPath}`],
    },
    {
      name: "policies lie outside of what is allowed, or in what is blocked",
      given: { allowed: ["quay.io"], cluster: { p: ["a.io"] }, namespaced: { "ns/q": ["c.io"] } },
      plan: "- | quay.io +",
      issues: ["error PolicyScopeNotAllowed spec.scopes[0]", "error PolicyScopeNotAllowed spec.scopes[0]"],
    },
    {
      name: "the payload is not allowed",
      given: { allowed: ["a.io"] },
      plan: "- | a.io +",
      issues: [`error PayloadNotAllowed ${allowedPath}`],
      isUnsafe: true,
    },
    {
      name: "the payload is allowed by a wildcard",
      given: { allowed: ["*.io"] },
      plan: "- | *.io +",
      issues: [],
    },
    {
      name: "nothing in the allowed list can be used",
      given: { allowed: ["*.a.io/x"] },
      plan: "-",
      issues: [`error InvalidScope ${allowedPath}[0]`, `error PayloadNotAllowed ${allowedPath}`],
      isUnsafe: true,
    },
  ])("When $name, it should plan $plan and report $issues", ({ given, plan, issues, isUnsafe = false }) => {
    expect(safe(given)).toEqual({ plan, issues, isUnsafe });
  });

  test.for<[scope: string, isAtomic: boolean]>([
    ["quay.io/ns/app:1", true],
    ["*.quay.io", true],
    ["quay.io/ns/app", true],
    ["quay.io", true],
    ["quay.io/app:1", false],
    ["quay.io/a/b/c", false],
    [`quay.io/ns/app@sha256:${"0".repeat(64)}`, true],
  ])("When a policy's scope is %s, it should be given to the transport atomic: %s", ([scope, isAtomic]) => {
    const { plan } = planPoliciesLenient(policyInput({ cluster: { p: [scope] } }));
    expect(plan?.isAtomicScope(scope)).toBe(isAtomic);
  });

  test.for<[scope: string, isAtomic: boolean]>([
    ["quay.io/ns/app:1", true],
    ["quay.io/app:1", true],
    ["quay.io/a/b/c", false],
  ])(
    "When machine-config-operator plans the scope %s, it should give it to atomic: %s",
    ([scope, isAtomic]) => {
      const { plan } = planPoliciesMcoCompat(policyInput({ cluster: { p: [scope] } }));
      expect(plan?.isAtomicScope(scope)).toBe(isAtomic);
    },
  );
});
