import { expect, test } from "vitest";
import {
  aManagedCluster,
  anUpgrade,
  aPreCachingConfig,
} from "../../../../test/support/precache/precache-plan-objects.ts";
import { givenObjects } from "./given-objects.ts";

test("When an object is given twice, the last one should count and the first be reported", () => {
  const first = anUpgrade({ clusters: ["sno1"] });
  const last = anUpgrade({ clusters: ["sno2"] });
  const elsewhere = anUpgrade({}, { namespace: "edge" });
  const { objects, issues } = givenObjects([first, aManagedCluster("sno1"), elsewhere, last]);
  expect(objects).toEqual([aManagedCluster("sno1"), elsewhere, last]);
  expect(issues).toMatchObject([
    { code: "DuplicateObject", severity: "warning", object: { namespace: "ztp", name: "upgrade" } },
  ]);
});

test("When one of two has no namespace, it should be the one of the namespace default", () => {
  const bare = anUpgrade({}, { namespace: "" });
  expect(givenObjects([anUpgrade({}, { namespace: "default" }), bare]).objects).toEqual([bare]);
});

test.each([
  ["another version", "ran.openshift.io/v1beta1"],
  ["the group that the design document prints", "ran.openshift.io.openshift.io/v1alpha1"],
])("When a kind is of %s, it should be reported, not left out silently", (_, apiVersion) => {
  const { issues } = givenObjects([{ ...aPreCachingConfig({}), apiVersion }]);
  expect(issues).toMatchObject([
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
  expect(givenObjects([policy])).toEqual({ objects: [policy], issues: [] });
});
