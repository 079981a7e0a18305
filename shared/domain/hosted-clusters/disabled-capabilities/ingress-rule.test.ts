import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { guardsIngresses, withIngressesGuarded } from "./ingress-rule.ts";

const aPolicy = (
  ...rules: readonly (readonly [group: string, ...resources: string[]])[]
): KubernetesObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "config" },
  spec: {
    matchConstraints: {
      matchPolicy: "Equivalent",
      resourceRules: rules.map(([group, ...resources]) => ({
        apiGroups: [group],
        apiVersions: ["v1"],
        operations: ["UPDATE", "DELETE"],
        resources,
      })),
    },
    validations: [{ expression: "false" }],
  },
});
const group = "config.openshift.io";
const guarding = aPolicy([group, "proxies", "ingresses"]);
const without = aPolicy([group, "proxies"]);

test.for<readonly [string, KubernetesObject, boolean | undefined]>([
  ["guards ingresses", guarding, true],
  ["guards others", without, false],
  ["guards ingresses in one of its rules", aPolicy([group, "images"], [group, "ingresses"]), true],
  ["is about the ingresses of another group", aPolicy(["networking.k8s.io", "ingresses"]), undefined],
  ["has no rules", { ...guarding, spec: {} }, undefined],
])("When the policy %s, it should be read as such", ([, policy, wanted]) => {
  expect(guardsIngresses(policy)).toBe(wanted);
});

test("When Ingress is disabled, only ingresses should be removed", () => {
  expect(withIngressesGuarded(guarding, false)).toEqual(without);
});

test("When Ingress is disabled, rules about the ingresses of another group should stay", () => {
  const other = ["networking.k8s.io", "ingresses"] as const;
  expect(withIngressesGuarded(aPolicy(other, [group, "proxies", "ingresses"]), false)).toEqual(
    aPolicy(other, [group, "proxies"]),
  );
});

test("When Ingress is enabled, ingresses should be added to the first rule about the same group", () => {
  const two = aPolicy(["", "pods"], [group, "proxies"], [group, "images"]);
  expect(withIngressesGuarded(two, true)).toEqual(
    aPolicy(["", "pods"], [group, "proxies", "ingresses"], [group, "images"]),
  );
});

test.for([
  ["as it should be", guarding, true],
  ["as it should be, too", without, false],
  ["about something else", aPolicy(["", "pods"]), true],
] as const)("When the policy is %s, it should stay the same object", ([, policy, isGuarded]) => {
  expect(withIngressesGuarded(policy, isGuarded)).toBe(policy);
});
