import { describe, expect, test } from "vitest";
import { type GivenPolicies, payload, policyInput } from "./fixtures.ts";
import { type PolicyPlan, planPolicies } from "./plan-policies.ts";

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
  const allowed = { allowed: ["quay.io", "a.io"] };
  const inside = "- | a.io signed | quay.io + | quay.io/x signed";
  const shared = { cluster: { p: ["a.io"], q: ["a.io", "c.io"] } };

  test.for<readonly [name: string, given: GivenPolicies, plan: string]>([
    ["nothing is given", {}, "none"],
    ["only a namespace has a policy", { namespaced: { "ns/p": ["a.io"] } }, "template"],
    ["scopes are blocked", { blocked: ["b.io", "*.c.io"] }, "+ | *.c.io - | b.io -"],
    ["scopes are allowed", allowed, "- | a.io + | quay.io +"],
    ["a policy has an allowed scope", { ...allowed, cluster: { p: ["a.io", "quay.io/x"] } }, inside],
    ["a policy is beside", { blocked: ["b.io/x"], cluster: { p: ["b.io"] } }, "+ | b.io signed | b.io/x -"],
    ["two policies share a scope", shared, "+ | a.io signed signed | c.io signed"],
  ])("When $0, it should plan $2", ([, given, plan]) => {
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
  const around = { blocked: ["quay.io"], containing: ["quay.io"] };
  const twoAround = { blocked: ["quay.io", "quay.io/rel"], containing: ["quay.io", "quay.io/rel"] };
  const bothLists = { blocked: ["b.io"], allowed: ["a.io"] };
  const [contradiction, notAllowed] = ["error AllowedAndBlocked", "error PolicyScopeNotAllowed"];
  const inBlocked = { blocked: ["b.io"], namespaced: { "ns/p": ["c.io", "b.io/x"] } };
  const trap = `warning OnlyPayloadAllowed ${blockedPath}[0]`;

  test.for<readonly [name: string, given: GivenPolicies, plan: string, ...issues: string[]]>([
    ["exactly the payload's repository is blocked", { containing: [payload] }, `- | ${payload} +`, trap],
    ["one scope around the payload is blocked", around, `+ | quay.io - | ${payload} +`],
    ["two are blocked", twoAround, "none", `${contradiction} ${blockedPath}`],
    ["both lists are given", bothLists, "none", `${contradiction} ${allowedPath}`],
    ["a policy is outside", { ...around, cluster: { p: ["a.io"] } }, "none", `${notAllowed} spec.scopes[0]`],
    ["a policy lies in a blocked scope", inBlocked, "none", "error PolicyScopeBlocked spec.scopes[1]"],
    ["no scope results", { allowed: ["*.a.io/x"] }, "none", `error InvalidScope ${allowedPath}[0]`],
  ])("When $0, it should plan $2 and report what is wrong", ([, given, plan, ...issues]) => {
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
