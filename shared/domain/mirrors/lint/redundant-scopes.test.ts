import { expect, test } from "vitest";
import { issuesAbout, places } from "./fixtures.ts";

const lists = (field: string, ...scopes: string[]) => ({ objects: [], lists: { [field]: scopes } });

test("When a scope lies in another one of its list, it should report that it makes no difference", () => {
  expect(issuesAbout(lists("blockedRegistries", "quay.io/acme", "quay.io"))).toEqual([
    {
      code: "RedundantScope",
      severity: "warning",
      object: { kind: "Image", name: "cluster" },
      path: "spec.registrySources.blockedRegistries[0]",
      value: "quay.io/acme",
      message: '"quay.io/acme" lies in "quay.io", which is listed too',
      remedy: "Remove this one; it makes no difference.",
    },
  ]);
});

test("When a scope is listed twice, it should report the second", () => {
  expect(issuesAbout(lists("insecureRegistries", "a.io", "b.io", "a.io"))).toMatchObject([
    { path: "spec.registrySources.insecureRegistries[2]", message: '"a.io" is listed twice' },
  ]);
});

test("When a wildcard is allowed, it should report a host that it covers", () => {
  expect(places(issuesAbout(lists("allowedRegistries", "*.a.io", "x.a.io:5000", "a.io")))).toEqual([
    "RedundantScope Image/cluster spec.registrySources.allowedRegistries[1]",
  ]);
});

test("When the scopes stand in different lists or beside each other, it should report nothing", () => {
  const both = { insecureRegistries: ["a.io"], blockedRegistries: ["a.io/ns", "b.io", "a.io:5000"] };
  expect(issuesAbout({ objects: [], lists: both })).toEqual([]);
});
