import { describe, expect, test } from "vitest";
import {
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
} from "../../mirrors/fixtures.ts";
import { overridesLikeHypershift } from "./hypershift-overrides.ts";

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

  test("When HyperShift ignores something silently, it should warn and refuse nothing", () => {
    const { issues } = overridesLikeHypershift([
      anImageTagMirrorSet("t", [rule("q", "m")]),
      anImageDigestMirrorSet("d", [
        rule("", "m"),
        rule("q.io", "", "m.io"),
        rule("*.q.io", "https://m.io"),
        { ...rule("q.io/ns", "m.io"), mirrorSourcePolicy: "NeverContactSource" },
      ]),
    ]);
    expect(issues.map(({ code, severity, object, path }) => [code, severity, object.name, path])).toEqual([
      ["DroppedPair", "warning", "d", "spec.imageDigestMirrors[0].source"],
      ["DroppedPair", "warning", "d", "spec.imageDigestMirrors[1].mirrors[0]"],
      ["DroppedPair", "warning", "d", "spec.imageDigestMirrors[2].source"],
      ["DroppedPair", "warning", "d", "spec.imageDigestMirrors[2].mirrors[0]"],
      ["UnusablePair", "warning", "d", "spec.imageDigestMirrors[3].mirrors[0]"],
      ["IgnoredPolicy", "warning", "d", "spec.imageDigestMirrors[3].mirrorSourcePolicy"],
      ["IgnoredKind", "warning", "t", "spec.imageTagMirrors[0]"],
    ]);
  });

  test.for([
    {
      name: "tags are mirrored",
      object: anImageTagMirrorSet("t", [rule("quay.io", "m.lan")]),
      issue: {
        code: "IgnoredKind",
        object: { kind: "ImageTagMirrorSet", name: "t" },
        path: "spec.imageTagMirrors[0]",
        value: "quay.io",
        message: "HyperShift does not read objects of kind ImageTagMirrorSet",
        remedy: "Put the rule into an ImageDigestMirrorSet if HyperShift has to know it.",
      },
    },
    {
      name: "a source is empty",
      object: anImageDigestMirrorSet("d", [rule("", "", "m.lan")]),
      issue: {
        code: "DroppedPair",
        object: { kind: "ImageDigestMirrorSet", name: "d" },
        path: "spec.imageDigestMirrors[0].source",
        value: "",
        message: "HyperShift skips a rule with an empty source",
        remedy: "Write the source, or remove the rule.",
      },
    },
    {
      name: "a source is a wildcard",
      object: anImageDigestMirrorSet("d", [rule("*.quay.io", "m.lan")]),
      issue: {
        code: "DroppedPair",
        object: { kind: "ImageDigestMirrorSet", name: "d" },
        path: "spec.imageDigestMirrors[0].source",
        value: "*.quay.io",
        message:
          'HyperShift cannot parse source "*.quay.io" (invalid reference format) and skips it, except for release images',
        remedy: "Write host[:port][/path] in lower case, without wildcard, scheme and trailing slash.",
      },
    },
    {
      name: "a mirror is in upper case",
      object: anImageDigestMirrorSet("d", [rule("quay.io", "m.lan", "m.lan/OCP")]),
      issue: {
        code: "DroppedPair",
        object: { kind: "ImageDigestMirrorSet", name: "d" },
        path: "spec.imageDigestMirrors[0].mirrors[1]",
        value: "m.lan/OCP",
        message:
          'HyperShift cannot parse mirror "m.lan/OCP" (repository name must be lowercase) and skips it, except for release images',
        remedy: "Write host[:port][/path] in lower case, without wildcard, scheme and trailing slash.",
      },
    },
    {
      name: "a mirror is empty",
      object: anImageContentSourcePolicy("i", [rule("quay.io", "m.lan", "")]),
      issue: {
        code: "DroppedPair",
        object: { kind: "ImageContentSourcePolicy", name: "i" },
        path: "spec.repositoryDigestMirrors[0].mirrors[1]",
        value: "",
        message: "HyperShift skips an empty mirror",
        remedy: "Write the mirror, or remove it.",
      },
    },
    {
      name: "a mirror has a scheme",
      object: anImageDigestMirrorSet("d", [rule("quay.io", "https://m.lan")]),
      issue: {
        code: "DroppedPair",
        object: { kind: "ImageDigestMirrorSet", name: "d" },
        path: "spec.imageDigestMirrors[0].mirrors[0]",
        value: "https://m.lan",
        message:
          'HyperShift cannot parse mirror "https://m.lan" (invalid reference format) and skips it, except for release images',
        remedy: "Write host[:port][/path] in lower case, without wildcard, scheme and trailing slash.",
      },
    },
    {
      name: "a source must never be contacted",
      object: anImageDigestMirrorSet("d", [
        { ...rule("a.io", "m.lan"), mirrorSourcePolicy: "AllowContactingSource" },
        { ...rule("quay.io", "m.lan"), mirrorSourcePolicy: "NeverContactSource" },
      ]),
      issue: {
        code: "IgnoredPolicy",
        object: { kind: "ImageDigestMirrorSet", name: "d" },
        path: "spec.imageDigestMirrors[1].mirrorSourcePolicy",
        value: "NeverContactSource",
        message: "HyperShift does not read mirrorSourcePolicy: it contacts the source after the last mirror",
        remedy: "Block the source in the network if it must never be contacted.",
      },
    },
  ])("When $name, it should report how HyperShift handles it", ({ object, issue }) => {
    expect(overridesLikeHypershift([object]).issues).toEqual([{ severity: "warning", ...issue }]);
  });
});
