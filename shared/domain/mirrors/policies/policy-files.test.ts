import { describe, expect, test } from "vitest";
import { policyInput, simpleRequirement } from "./fixtures.ts";
import { planPolicies } from "./plan-policies.ts";
import { renderPolicyFiles } from "./policy-files.ts";

describe("renderPolicyFiles", () => {
  test("When cluster and namespaces have policies, it should write all files in the order of the MachineConfig", () => {
    const given = {
      blocked: ["b.io"],
      cluster: { p: ["a.io"] },
      namespaced: { "z/q": ["c.io"], "n/q": ["d.io"], "z/r": ["c.io", "e.io/a/b/c"] },
    };
    const { plan } = planPolicies(policyInput(given));
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
    const { plan } = planPolicies(policyInput({ namespaced: { "ns/p": ["a.io"] } }));
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

  test("When there is no image policy, it should write only policy.json", () => {
    const { plan } = planPolicies(policyInput({ blocked: ["b.io"] }));
    if (!plan) return expect.fail("no plan");
    expect(renderPolicyFiles(plan, []).files).toHaveLength(1);
  });
});
