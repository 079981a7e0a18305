import { describe, expect, test } from "vitest";
import { type GivenPolicies, payload, policyInput } from "./fixtures.ts";
import { planPolicies } from "./plan-policies.ts";
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

const planned = (given: GivenPolicies) => {
  const { plan, issues } = planPolicies(policyInput(given));
  return {
    plan: brief(plan),
    issues: issues.map(({ code, severity, path }) => `${severity} ${code} ${path}`),
  };
};

const blockedPath = "spec.registrySources.blockedRegistries";

const allowedPath = "spec.registrySources.allowedRegistries";

describe("planPolicies", () => {
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
    expect(planned(given)).toEqual({ plan, issues: [] });
  });

  test("When a cluster-wide policy covers a namespaced scope, it should leave that out with a warning", () => {
    const given = { cluster: { p: ["a.io"] }, namespaced: { "ns/q": ["a.io/x", "b.io", "a.io"] } };
    const issues = ["warning ConflictScopes spec.scopes[0]", "warning ConflictScopes spec.scopes[2]"];
    expect(planned(given)).toEqual({ plan: "+ | a.io signed", issues });
    const { plan } = planPolicies(policyInput(given));
    expect(plan?.namespaced.map(({ at }) => at.scope)).toEqual(["b.io"]);
  });
});

describe("traps and contradictions", () => {
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
    expect(planned(given)).toEqual({ plan, issues });
  });

  test.for<[scope: string, isAtomic: boolean]>([
    ["quay.io/ns/app:1", true],
    ["quay.io/app:1", true],
    ["quay.io/a/b/c", false],
  ])(
    "When machine-config-operator plans the scope %s, it should give it to atomic: %s",
    ([scope, isAtomic]) => {
      const { plan } = planPolicies(policyInput({ cluster: { p: [scope] } }));
      expect(plan?.isAtomicScope(scope)).toBe(isAtomic);
    },
  );
});
