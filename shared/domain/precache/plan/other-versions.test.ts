import { expect, test } from "vitest";
import { aPreCachingConfig } from "../../../../test/support/precache/precache-plan-objects.ts";
import { otherVersionIssues } from "./other-versions.ts";

test.each([
  ["another version", "ran.openshift.io/v1beta1"],
  ["the group that the design document prints", "ran.openshift.io.openshift.io/v1alpha1"],
])("When a kind is of %s, it should be reported, not left out silently", (_, apiVersion) => {
  expect(otherVersionIssues([{ ...aPreCachingConfig({}), apiVersion }])).toMatchObject([
    {
      code: "WrongApiVersion",
      severity: "error",
      value: apiVersion,
      remedy: "Write apiVersion: ran.openshift.io/v1alpha1.",
    },
  ]);
});

test("When another project has a kind of that name, it should be ignored", () => {
  const policy = { apiVersion: "kyverno.io/v1", kind: "Policy", metadata: { name: "p", namespace: "x" } };
  expect(otherVersionIssues([policy])).toEqual([]);
});
