import { expect, test } from "vitest";
import { anImageContentSourcePolicy, anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";
import { type Given, issuesAbout, places } from "./fixtures.ts";

const rule = { source: "quay.io/acme", mirrors: ["m.lab/a", "n.lab/a"] };
const other = { source: "quay.io/other", mirrors: ["m.lab/o"] };

test("When a rule is repeated in another object, its object should get the location of the first", () => {
  const objects = [anImageDigestMirrorSet("b", [other, rule]), anImageDigestMirrorSet("a", [rule])];
  expect(issuesAbout({ objects })).toEqual([
    {
      code: "DuplicateRule",
      severity: "warning",
      object: { kind: "ImageDigestMirrorSet", name: "b" },
      path: "spec.imageDigestMirrors[1]",
      value: rule,
      message: 'the same mirrors of "quay.io/acme" are in ImageDigestMirrorSet/a spec.imageDigestMirrors[0]',
      remedy: "Remove one of the two rules; the rendered file stays the same.",
    },
  ]);
});

test.for<Given & { name: string; reported: readonly string[] }>([
  {
    name: "When an object repeats its own rule",
    objects: [anImageTagMirrorSet("a", [rule, rule, rule])],
    reported: ["DuplicateRule ImageTagMirrorSet/a spec.imageTagMirrors[1]"],
  },
  {
    name: "When an older policy is repeated in another one",
    objects: [anImageContentSourcePolicy("a", [rule]), anImageContentSourcePolicy("b", [rule])],
    reported: ["DuplicateRule ImageContentSourcePolicy/b spec.repositoryDigestMirrors[0]"],
  },
  {
    name: "When an older policy has the rules of a newer set, which is reported with its deprecation",
    objects: [anImageContentSourcePolicy("a", [rule]), anImageDigestMirrorSet("b", [rule])],
    reported: [],
  },
  {
    name: "When the mirrors serve other pulls",
    objects: [anImageDigestMirrorSet("a", [rule]), anImageTagMirrorSet("b", [rule])],
    reported: [],
  },
  {
    name: "When the order of the mirrors differs",
    objects: [anImageDigestMirrorSet("a", [rule, { ...rule, mirrors: rule.mirrors.toReversed() }])],
    reported: ["ContradictingOrder ImageDigestMirrorSet/a spec.imageDigestMirrors[1].mirrors"],
  },
  {
    name: "When the mirrors only read the same without what separates them",
    objects: [
      anImageDigestMirrorSet("a", [
        { source: "quay.io/acme", mirrors: ["m.lab/a", "b.lab/a"] },
        { source: "quay.io/acme", mirrors: ["m.lab/ab.lab/a"] },
      ]),
    ],
    reported: [],
  },
  {
    name: "When one list continues where the other ends",
    objects: [anImageDigestMirrorSet("a", [rule, { ...rule, mirrors: ["m.lab/a"] }])],
    reported: [],
  },
])("$name, it should report $reported", ({ reported, objects }) => {
  expect(places(issuesAbout({ objects }))).toEqual(reported);
});
