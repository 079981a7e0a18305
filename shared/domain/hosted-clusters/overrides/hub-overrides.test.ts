import { describe, expect, test } from "vitest";
import {
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
} from "../../mirrors/fixtures.ts";
import { overridesLikeHypershift } from "./hub-overrides.ts";

const rule = (source: string, ...mirrors: readonly string[]) => ({ source, mirrors });

describe("overridesLikeHypershift", () => {
  test.for([
    {
      name: "two ImageDigestMirrorSets have one source",
      objects: [
        anImageDigestMirrorSet("b", [rule("q", "b1", "b2")]),
        anImageDigestMirrorSet("a", [rule("q", "a1")]),
      ],
      expected: { q: ["a1", "b1", "b2"] },
    },
    {
      name: "policies follow, in reverse order of names",
      objects: [
        anImageContentSourcePolicy("a", [rule("q", "ia")]),
        anImageContentSourcePolicy("b", [rule("q", "ib", "a1")]),
        anImageDigestMirrorSet("a", [rule("q", "a1")]),
      ],
      expected: { q: ["a1", "ib", "a1", "ia"] },
    },
    {
      name: "sources and mirrors are empty, and one is its own mirror",
      objects: [anImageDigestMirrorSet("a", [rule("", "x"), rule("z", ""), rule("q", "q")])],
      expected: { q: ["q"] },
    },
    {
      name: "a source is a wildcard",
      objects: [anImageDigestMirrorSet("a", [rule("*.x.io", "m")])],
      expected: { "*.x.io": ["m"] },
    },
    {
      name: "sources differ by a slash or are invalid",
      objects: [anImageDigestMirrorSet("a", [rule("q/a/", "m"), rule("q/a", "n"), rule("Q:t", "m,n=o")])],
      expected: { "Q:t": ["m,n=o"], "q/a": ["n"], "q/a/": ["m"] },
    },
    { name: "there is nothing", objects: [], expected: {} },
    { name: "tags are mirrored", objects: [anImageTagMirrorSet("a", [rule("q", "m")])], expected: {} },
  ])("When $name, it should give $expected", ({ objects, expected }) => {
    const { overrides } = overridesLikeHypershift(objects);
    expect([...overrides]).toEqual(Object.entries(expected));
  });

  const unparsable = (what: string, name: string, why: string) =>
    `HyperShift cannot parse ${what} "${name}" (${why}) and skips it, except for release images`;
  const never = { ...rule("quay.io", "m.lan"), mirrorSourcePolicy: "NeverContactSource" };
  const allowed = { ...rule("a.io", "m.lan"), mirrorSourcePolicy: "AllowContactingSource" };
  const mirrored = rule("quay.io", "m.lan");
  test.for([
    ["", rule("", "", "m.lan"), "DroppedPair", "source", "HyperShift skips a rule with an empty source"],
    ["", rule("quay.io", "m.lan", ""), "DroppedPair", "mirrors[1]", "HyperShift skips an empty mirror"],
    [
      "*.quay.io",
      rule("*.quay.io", "m.lan"),
      "DroppedPair",
      "source",
      unparsable("source", "*.quay.io", "invalid reference format"),
    ],
    [
      "m.lan/OCP",
      rule("quay.io", "m.lan", "m.lan/OCP"),
      "DroppedPair",
      "mirrors[1]",
      unparsable("mirror", "m.lan/OCP", "repository name must be lowercase"),
    ],
    [
      "https://m.lan",
      rule("quay.io", "https://m.lan"),
      "DroppedPair",
      "mirrors[0]",
      unparsable("mirror", "https://m.lan", "invalid reference format"),
    ],
    [
      "NeverContactSource",
      never,
      "IgnoredPolicy",
      "mirrorSourcePolicy",
      "HyperShift does not read mirrorSourcePolicy, and may contact the source",
    ],
  ] as const)(
    "When HyperShift ignores %j of %j, it should be the warning %s at %s",
    ([value, wrong, code, field, message]) => {
      const { issues } = overridesLikeHypershift([anImageDigestMirrorSet("d", [allowed, wrong])]);
      expect(issues).toMatchObject([
        {
          source: wrong.source,
          issue: { code, severity: "warning", path: `spec.imageDigestMirrors[1].${field}`, value, message },
        },
      ]);
    },
  );

  test("When HyperShift does not read a kind, or cannot read an object, it should warn", () => {
    const broken = { ...anImageDigestMirrorSet("a", []), spec: "x" };
    const { issues } = overridesLikeHypershift([broken, anImageTagMirrorSet("t", [mirrored])]);
    expect(issues).toMatchObject([
      { issue: { code: "InvalidType", severity: "warning", path: "spec" } },
      {
        source: "quay.io",
        issue: {
          code: "IgnoredKind",
          severity: "warning",
          path: "spec.imageTagMirrors[0]",
          message: "HyperShift does not read objects of kind ImageTagMirrorSet",
        },
      },
    ]);
  });
});
