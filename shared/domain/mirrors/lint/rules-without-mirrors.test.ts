import { expect, test } from "vitest";
import { anImageDigestMirrorSet } from "../fixtures.ts";
import { issuesAbout } from "./fixtures.ts";

const reported = (...rules: unknown[]) => issuesAbout({ objects: [anImageDigestMirrorSet("acme", rules)] });

test.for<{ name: string; rule: Readonly<{ mirrors?: readonly string[] }> }>([
  { name: "has no list", rule: {} },
  { name: "has an empty list", rule: { mirrors: [] } },
  { name: "names only its source", rule: { mirrors: ["quay.io/acme"] } },
])("When a rule $name, it should report that it has no effect", ({ rule }) => {
  expect(reported({ source: "quay.io/acme", ...rule })).toEqual([
    {
      code: "RuleWithoutMirrors",
      severity: "warning",
      object: { kind: "ImageDigestMirrorSet", name: "acme" },
      path: "spec.imageDigestMirrors[0].mirrors",
      value: rule.mirrors ?? [],
      message: 'this rule has no mirror of "quay.io/acme" and no effect',
      remedy: "Add a mirror, or remove the rule.",
    },
  ]);
});

test("When such a rule forbids its source, it should report that this has no effect, with a remedy", () => {
  expect(reported({ source: "quay.io/acme", mirrorSourcePolicy: "NeverContactSource" })).toMatchObject([
    {
      code: "RuleWithoutMirrors",
      message: 'this rule has no mirror of "quay.io/acme", so its NeverContactSource has no effect',
      remedy: "Add a mirror, or block the source by spec.registrySources.blockedRegistries of Image/cluster.",
    },
  ]);
});

test("When several rules of an object have no mirror, each source should be reported", () => {
  const rules = [
    { source: "a.io" },
    { source: "b.io", mirrorSourcePolicy: "NeverContactSource" },
    { source: "c.io" },
  ];
  expect(reported(...rules).map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'spec.imageDigestMirrors[0].mirrors: this rule has no mirror of "a.io" and no effect',
    'spec.imageDigestMirrors[1].mirrors: this rule has no mirror of "b.io", so its NeverContactSource has no effect',
    'spec.imageDigestMirrors[2].mirrors: this rule has no mirror of "c.io" and no effect',
  ]);
});

test("When an object has the same rule twice, both should be one issue", () => {
  expect(reported({ source: "a.io" }, { source: "a.io" })).toMatchObject([
    { message: expect.stringContaining("the same applies to spec.imageDigestMirrors[1].mirrors") },
  ]);
});

test("When a rule has a mirror besides its source, it should report nothing", () => {
  expect(reported({ source: "quay.io/acme", mirrors: ["quay.io/acme", "m.lab/acme"] })).toEqual([]);
});
