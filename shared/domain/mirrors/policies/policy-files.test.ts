import { describe, expect, test } from "vitest";
import { anImage } from "../fixtures.ts";
import type { ListedScope } from "../read-image.ts";
import { aClusterImagePolicy, anImagePolicy, simpleRequirement } from "./fixtures.ts";
import { planPoliciesLikeMco } from "./plan-like-mco.ts";
import { planPoliciesSafely } from "./plan-safely.ts";
import { type PolicyPlan, renderPolicyFiles } from "./policy-files.ts";
import { readImagePolicies } from "./read-policies.ts";
import { scopePolicies } from "./scoped-policies.ts";

const payload = "quay.io/rel/ocp";

type Given = Readonly<{
  blocked?: string[];
  allowed?: string[];
  /** Blocked scopes that contain the payload, which has a mirror. */
  containing?: string[];
  cluster?: Record<string, string[]>;
  namespaced?: Record<string, string[]>;
}>;

const listed = (list: string, scopes: readonly string[]): readonly ListedScope[] =>
  scopes.map((scope, index) => ({ scope, path: `spec.registrySources.${list}[${index}]` }));

const inputOf = ({ blocked = [], allowed = [], containing = [], cluster = {}, namespaced = {} }: Given) => {
  const objects = [
    ...Object.entries(cluster).map(([name, scopes]) => aClusterImagePolicy(name, scopes)),
    ...Object.entries(namespaced).map(([key, scopes]) => {
      const [namespace = "", name = ""] = key.split("/");
      return anImagePolicy(namespace, name, scopes);
    }),
  ];
  const read = readImagePolicies(objects, "default");
  return {
    image: anImage({}),
    payload,
    blocked: listed("blockedRegistries", blocked),
    allowed: listed("allowedRegistries", allowed),
    containing: listed("blockedRegistries", containing),
    policies: scopePolicies(read.cluster, read.namespaced),
  };
};

const short: Record<string, string> = { reject: "-", insecureAcceptAnything: "+", sigstoreSigned: "signed" };

const brief = (plan: PolicyPlan | undefined) => {
  const policy = plan?.clusterWide;
  if (!policy) return plan ? "template" : "none";
  const scopes = [...policy.scopes].map(
    ([scope, list]) => `${scope} ${list.map(({ type }) => short[type]).join(" ")}`,
  );
  return [short[policy.default.type], ...scopes.sort()].join(" | ");
};

const mco = (given: Given) => {
  const { plan, issues } = planPoliciesLikeMco(inputOf(given));
  return {
    plan: brief(plan),
    issues: issues.map(({ code, severity, path }) => `${severity} ${code} ${path}`),
  };
};
const safe = (given: Given) => {
  const { plan, issues, isUnsafe } = planPoliciesSafely(inputOf(given));
  return {
    plan: brief(plan),
    issues: issues.map(({ code, severity, path }) => `${severity} ${code} ${path}`),
    isUnsafe,
  };
};

const blockedPath = "spec.registrySources.blockedRegistries";
const allowedPath = "spec.registrySources.allowedRegistries";

describe("both ways to plan", () => {
  test.for<{ name: string; given: Given; plan: string }>([
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
    const { plan } = planPoliciesSafely(inputOf(given));
    expect(plan?.namespaced.map(({ at }) => at.scope)).toEqual(["b.io"]);
  });
});

describe("planPoliciesLikeMco", () => {
  test.for<{ name: string; given: Given; plan: string; issues: string[] }>([
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
  ])("When $name, it should plan $plan and tell $issues", ({ given, plan, issues }) => {
    expect(mco(given)).toEqual({ plan, issues });
  });
});

describe("planPoliciesSafely", () => {
  test.for<{ name: string; given: Given; plan: string; issues: string[]; isUnsafe?: boolean }>([
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
  ])("When $name, it should plan $plan and tell $issues", ({ given, plan, issues, isUnsafe = false }) => {
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
    const { plan } = planPoliciesSafely(inputOf({ cluster: { p: [scope] } }));
    expect(plan?.isAtomicScope(scope)).toBe(isAtomic);
  });

  test.for<[scope: string, isAtomic: boolean]>([
    ["quay.io/ns/app:1", true],
    ["quay.io/app:1", true],
    ["quay.io/a/b/c", false],
  ])(
    "When machine-config-operator plans the scope %s, it should give it to atomic: %s",
    ([scope, isAtomic]) => {
      const { plan } = planPoliciesLikeMco(inputOf({ cluster: { p: [scope] } }));
      expect(plan?.isAtomicScope(scope)).toBe(isAtomic);
    },
  );
});

describe("renderPolicyFiles", () => {
  test("When cluster and namespaces have policies, it should write all files in the order of the MachineConfig", () => {
    const given = {
      blocked: ["b.io"],
      cluster: { p: ["a.io"] },
      namespaced: { "z/q": ["c.io"], "n/q": ["d.io"], "z/r": ["c.io", "e.io/a/b/c"] },
    };
    const { plan } = planPoliciesSafely(inputOf(given));
    if (!plan) return expect.fail("no plan");
    const { files } = renderPolicyFiles(plan, undefined);
    expect(files.map(({ path }) => path)).toEqual([
      "/etc/containers/policy.json",
      "/etc/containers/registries.d/sigstore-registries.yaml",
      "/etc/crio/policies/n.json",
      "/etc/crio/policies/z.json",
    ]);
    const [cluster, sigstore, n, z] = files.map(({ contents }) => contents);
    expect(JSON.parse(cluster ?? "").transports.docker).toEqual({
      "a.io": [simpleRequirement],
      "b.io": [{ type: "reject" }],
    });
    expect(sigstore?.match(/^ {2}(.*):$/gm)).toEqual(["  a.io:", "  c.io:", "  d.io:", "  e.io/a/b/c:"]);
    expect(JSON.parse(n ?? "").transports.docker).toEqual({
      "a.io": [simpleRequirement],
      "b.io": [{ type: "reject" }],
      "d.io": [simpleRequirement],
    });
    expect(JSON.parse(z ?? "").transports.docker).toMatchObject({
      "c.io": [simpleRequirement, simpleRequirement],
    });
    expect(Object.keys(JSON.parse(z ?? "").transports.atomic)).toEqual(["a.io", "b.io", "c.io"]);
  });

  test("When only a namespace has a policy, it should leave policy.json as the template has it", () => {
    const { plan } = planPoliciesLikeMco(inputOf({ namespaced: { "ns/p": ["a.io"] } }));
    if (!plan) return expect.fail("no plan");
    const [policy, , namespace] = renderPolicyFiles(plan, []).files;
    expect(policy?.contents.startsWith('{\n    "default": [')).toBe(true);
    const written = JSON.parse(namespace?.contents ?? "");
    expect(written.default).toEqual([{ type: "insecureAcceptAnything" }]);
    expect(written.transports).toMatchObject({
      docker: { "a.io": [simpleRequirement] },
      atomic: { "a.io": [simpleRequirement] },
      "docker-daemon": {},
    });
  });

  test("When there is no image policy, it should write policy.json alone", () => {
    const { plan } = planPoliciesSafely(inputOf({ blocked: ["b.io"] }));
    if (!plan) return expect.fail("no plan");
    expect(renderPolicyFiles(plan, []).files).toHaveLength(1);
  });
});
