import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageSourceDigestPolicy,
  anImageSourceTagPolicy,
  anImageTagMirrorSet,
  withMetadata,
} from "../fixtures.ts";
import { convertMirrorPolicies, isOldKind, mirrorSetFileName } from "./convert.ts";

const rule = { source: "quay.io/a", mirrors: ["m.lab/a"] };

describe("objects", () => {
  test.for([
    [
      "When a content source policy is given, it should become a digest mirror set",
      [anImageContentSourcePolicy("acme", [rule, { source: "*.lab" }, { source: "quay.io/c", mirrors: [] }])],
      [anImageDigestMirrorSet("acme", [rule, { source: "*.lab" }, { source: "quay.io/c" }])],
    ],
    [
      "When a policy has no rules, it should become a mirror set without rules",
      [anImageContentSourcePolicy("acme", [])],
      [anImageDigestMirrorSet("acme", [])],
    ],
    [
      "When a digest policy is given, it should become a digest mirror set",
      [anImageSourceDigestPolicy("acme", [rule])],
      [anImageDigestMirrorSet("acme", [rule])],
    ],
    [
      "When a tag policy is given, it should become a mirror set for each kind of pull",
      [anImageSourceTagPolicy("acme", [rule])],
      [anImageDigestMirrorSet("acme", [rule]), anImageTagMirrorSet("acme", [rule])],
    ],
    [
      "When a tag policy has the name of another, its digest half should get another name",
      [anImageSourceTagPolicy("ubi", [rule]), anImageSourceDigestPolicy("ubi", [{ source: "quay.io/b" }])],
      [
        anImageDigestMirrorSet("ubi-tag-policy", [rule]),
        anImageTagMirrorSet("ubi", [rule]),
        anImageDigestMirrorSet("ubi", [{ source: "quay.io/b" }]),
      ],
    ],
    [
      "When a mirror is listed twice, it should be written once, where it came first",
      [anImageContentSourcePolicy("acme", [{ source: "s", mirrors: ["b", "a", "b"] }])],
      [anImageDigestMirrorSet("acme", [{ source: "s", mirrors: ["b", "a"] }])],
    ],
    [
      "When one rule is refused, it should convert the others",
      [anImageContentSourcePolicy("acme", [{ source: "q.io/a:tag", mirrors: ["m"] }, rule, { source: 3 }])],
      [anImageDigestMirrorSet("acme", [rule])],
    ],
    [
      "When every rule is refused, it should make no object",
      [anImageContentSourcePolicy("acme", [{ source: "" }]), anImageContentSourcePolicy("other", [rule])],
      [anImageDigestMirrorSet("other", [rule])],
    ],
    [
      "When two would get one name and the same rules, it should make one of them",
      [anImageContentSourcePolicy("acme", [rule]), anImageSourceDigestPolicy("acme", [rule])],
      [anImageDigestMirrorSet("acme", [rule])],
    ],
    [
      "When two would get one name and other rules, it should make the first",
      [anImageContentSourcePolicy("acme", [rule]), anImageSourceDigestPolicy("acme", [])],
      [anImageDigestMirrorSet("acme", [rule])],
    ],
  ] as const)("%s", ([, given, made]) => {
    expect(convertMirrorPolicies(given).objects).toEqual(made);
  });

  test("When metadata belongs to the stored object, it should keep name, labels and the other annotations", () => {
    const stored = withMetadata({
      uid: "1",
      resourceVersion: "2",
      generation: 3,
      creationTimestamp: "2020-01-01T00:00:00Z",
      managedFields: [{}],
      selfLink: "/x",
      labels: { team: "a" },
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", keep: "b" },
    });
    const { objects, issues } = convertMirrorPolicies([{ ...stored, status: {} }]);
    expect(objects).toEqual([
      {
        ...anImageDigestMirrorSet("acme", [rule]),
        metadata: { name: "acme", labels: { team: "a" }, annotations: { keep: "b" } },
      },
    ]);
    expect(issues).toEqual([]);
  });

  test("When kubectl's annotation is the only one, it should leave no empty annotations", () => {
    const { objects } = convertMirrorPolicies([
      withMetadata({ labels: {}, annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } }),
    ]);
    expect(objects).toEqual([anImageDigestMirrorSet("acme", [rule])]);
  });
});

test("When objects of any kind and content are given, it should make objects with valid names of their own", () => {
  const word = fc.constantFrom("a", "quay.io/a", "m.lab:5000/x", "*.lab", "bad:tag", "", "no/../way");
  const rules = fc.array(
    fc.oneof(fc.record({ source: word, mirrors: fc.array(word, { maxLength: 3 }) }), fc.jsonValue()),
    { maxLength: 3 },
  );
  const object = fc
    .tuple(
      fc.constantFrom(
        anImageContentSourcePolicy,
        anImageSourceDigestPolicy,
        anImageSourceTagPolicy,
        anImageTagMirrorSet,
      ),
      fc.constantFrom("a", "b", "a-tag-policy", "../c"),
      rules,
    )
    .map(([build, name, list]) => build(name, list));
  fc.assert(
    fc.property(fc.array(object, { maxLength: 4 }), (given) => {
      const { objects, issues } = convertMirrorPolicies(given);
      const names = objects.map(mirrorSetFileName);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => !/^image(?:digest|tag)mirrorset_[a-z-]+\.yaml$/.test(name))).toEqual([]);
      // Nothing disappears without a word.
      if (objects.length < given.filter(isOldKind).length) expect(issues).not.toEqual([]);
      // What was made is of the new kinds: it is refused as input.
      expect(convertMirrorPolicies(objects).objects).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
