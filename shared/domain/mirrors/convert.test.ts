import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject, ObjectMeta } from "../kubernetes/object.ts";
import { convertMirrorPolicies, isOldKind, mirrorSetFileName } from "./convert.ts";
import { anImageContentSourcePolicy, anImageDigestMirrorSet, anImageTagMirrorSet } from "./fixtures.ts";

const rule = { source: "quay.io/a", mirrors: ["m.lab/a"] };

function digestPolicy(name: string, rules: readonly unknown[]): KubernetesObject {
  const spec = { repositoryDigestMirrors: rules };
  return { apiVersion: "config.openshift.io/v1", kind: "ImageSourceDigestPolicy", metadata: { name }, spec };
}

function tagPolicy(name: string, rules: readonly unknown[]): KubernetesObject {
  const spec = { repositoryTagMirrors: rules };
  return { apiVersion: "config.openshift.io/v1", kind: "ImageSourceTagPolicy", metadata: { name }, spec };
}

const withMetadata = (
  metadata: Partial<ObjectMeta> & Readonly<Record<string, unknown>>,
): KubernetesObject => {
  const policy = anImageContentSourcePolicy("acme", [rule]);
  return { ...policy, metadata: { ...policy.metadata, ...metadata } };
};

const told = (objects: readonly KubernetesObject[]) =>
  convertMirrorPolicies(objects).issues.map(({ code, severity, path }) => `${severity} ${code} ${path}`);

describe("objects", () => {
  test.for([
    {
      name: "When a content source policy is given, it should become a digest mirror set",
      given: [
        anImageContentSourcePolicy("acme", [rule, { source: "*.lab" }, { source: "quay.io/c", mirrors: [] }]),
      ],
      made: [anImageDigestMirrorSet("acme", [rule, { source: "*.lab" }, { source: "quay.io/c" }])],
    },
    {
      name: "When a policy has no rules, it should become a mirror set without rules",
      given: [anImageContentSourcePolicy("acme", [])],
      made: [anImageDigestMirrorSet("acme", [])],
    },
    {
      name: "When a digest policy is given, it should become a digest mirror set",
      given: [digestPolicy("acme", [rule])],
      made: [anImageDigestMirrorSet("acme", [rule])],
    },
    {
      name: "When a tag policy is given, it should become a mirror set for each kind of pull",
      given: [tagPolicy("acme", [rule])],
      made: [anImageDigestMirrorSet("acme", [rule]), anImageTagMirrorSet("acme", [rule])],
    },
    {
      name: "When a tag policy has the name of another, its digest half should get another name",
      given: [tagPolicy("ubi", [rule]), digestPolicy("ubi", [{ source: "quay.io/b" }])],
      made: [
        anImageDigestMirrorSet("ubi-tag-policy", [rule]),
        anImageTagMirrorSet("ubi", [rule]),
        anImageDigestMirrorSet("ubi", [{ source: "quay.io/b" }]),
      ],
    },
    {
      name: "When a mirror is listed twice, it should be written once, where it came first",
      given: [anImageContentSourcePolicy("acme", [{ source: "s", mirrors: ["b", "a", "b"] }])],
      made: [anImageDigestMirrorSet("acme", [{ source: "s", mirrors: ["b", "a"] }])],
    },
    {
      name: "When one rule is refused, it should convert the others",
      given: [
        anImageContentSourcePolicy("acme", [
          { source: "quay.io/a:tag", mirrors: ["m"] },
          rule,
          { source: 3 },
        ]),
      ],
      made: [anImageDigestMirrorSet("acme", [rule])],
    },
    {
      name: "When every rule is refused, it should make no object",
      given: [
        anImageContentSourcePolicy("acme", [{ source: "" }]),
        anImageContentSourcePolicy("other", [rule]),
      ],
      made: [anImageDigestMirrorSet("other", [rule])],
    },
    {
      name: "When two would get one name and the same rules, it should make one of them",
      given: [anImageContentSourcePolicy("acme", [rule]), digestPolicy("acme", [rule])],
      made: [anImageDigestMirrorSet("acme", [rule])],
    },
    {
      name: "When two would get one name and other rules, it should make the first",
      given: [anImageContentSourcePolicy("acme", [rule]), digestPolicy("acme", [])],
      made: [anImageDigestMirrorSet("acme", [rule])],
    },
  ])("$name", ({ given, made }) => {
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

describe("issues", () => {
  const list = "spec.repositoryDigestMirrors";
  test.for([
    { name: "nothing is wrong", given: [anImageContentSourcePolicy("acme", [rule])], issues: [] },
    {
      name: "a location is wrong",
      given: [anImageContentSourcePolicy("acme", [{ source: "https://a", mirrors: ["*.m"] }])],
      issues: [`error InvalidSource ${list}[0].source`, `error InvalidMirror ${list}[0].mirrors[0]`],
    },
    {
      name: "a mirror is listed twice where the old API allowed it",
      given: [anImageContentSourcePolicy("acme", [{ source: "a", mirrors: ["m", "m"] }])],
      issues: [`warning DuplicateMirror ${list}[0].mirrors[1]`],
    },
    {
      name: "a mirror is listed twice where no API allowed it",
      given: [digestPolicy("acme", [{ source: "a", mirrors: ["m", "m"] }])],
      issues: [`error DuplicateMirror ${list}[0].mirrors[1]`],
    },
    {
      name: "a rule has a field that had no effect",
      given: [
        anImageContentSourcePolicy("acme", [{ source: "a", mirrorSourcePolicy: "NeverContactSource" }]),
      ],
      issues: [`warning UnknownField ${list}[0].mirrorSourcePolicy`],
    },
    {
      name: "tags and digests part",
      given: [tagPolicy("acme", [rule])],
      issues: ["warning ChangedMeaning spec.repositoryTagMirrors"],
    },
    {
      name: "metadata had a meaning",
      given: [
        withMetadata({
          namespace: "n",
          finalizers: ["f"],
          ownerReferences: [],
          deletionTimestamp: "2020-01-01T00:00:00Z",
        }),
      ],
      issues: ["metadata.namespace", "metadata.finalizers", "metadata.deletionTimestamp"].map(
        (path) => `warning DroppedMetadata ${path}`,
      ),
    },
    {
      name: "the name is none",
      given: [withMetadata({ name: "../Acme" })],
      issues: ["error InvalidName metadata.name"],
    },
    {
      name: "one name is taken by other rules",
      given: [anImageContentSourcePolicy("acme", [rule]), digestPolicy("acme", [])],
      issues: ["error DuplicateName metadata.name"],
    },
    {
      name: "one name is taken by the same rules",
      given: [anImageContentSourcePolicy("acme", [rule]), digestPolicy("acme", [rule])],
      issues: ["warning DuplicateName metadata.name"],
    },
    {
      name: "the kind is a new one",
      given: [anImageDigestMirrorSet("acme", [rule]), anImageTagMirrorSet("acme", [rule])],
      issues: ["error NotConvertible kind", "error NotConvertible kind"],
    },
  ])("When $name, it should say so", ({ given, issues }) => {
    expect(told(given)).toEqual(issues);
  });

  test.for([
    {
      code: "InvalidName",
      given: [withMetadata({ name: "../Acme" })],
      message: "the API server refuses this name",
      remedy: /^Use lower-case letters, digits, - and \. only/,
    },
    {
      code: "ChangedMeaning",
      given: [tagPolicy("acme", [rule])],
      message:
        /served pulls by digest and by tag, .* an ImageDigestMirrorSet with the same rules is made beside it/,
      remedy: "Create both, or pulls by digest lose these mirrors.",
    },
    {
      code: "DuplicateMirror",
      given: [anImageContentSourcePolicy("acme", [{ source: "a", mirrors: ["m", "m"] }])],
      message: /the new kind does not allow; it is written once$/,
      remedy: /--check/,
    },
    {
      code: "DuplicateMirror",
      given: [digestPolicy("acme", [{ source: "a", mirrors: ["m", "m"] }])],
      message: /the API server refuses/,
      remedy: /^Remove/,
    },
    {
      code: "DuplicateMirror",
      given: [digestPolicy("acme", [{ source: "a", mirrors: ["m", "m"] }])],
      message: /the API server refuses the object$/,
      remedy: "Remove this repetition.",
    },
    {
      code: "UnknownField",
      given: [anImageContentSourcePolicy("acme", [{ source: "a", typo: 1 }])],
      message: /typo is not a field/,
      remedy: /^Remove it;/,
    },
    {
      code: "DuplicateName",
      given: [anImageContentSourcePolicy("acme", [rule]), digestPolicy("acme", [rule])],
      message:
        "ImageDigestMirrorSet/acme was already made from ImageContentSourcePolicy/acme with the same rules; it is written once",
      remedy: "Leave one of the two out.",
    },
    {
      code: "DuplicateName",
      given: [anImageContentSourcePolicy("acme", [rule]), digestPolicy("acme", [])],
      message:
        "ImageDigestMirrorSet/acme was already made from ImageContentSourcePolicy/acme with other rules",
      remedy: "Rename one of the two, or put their rules into one object.",
    },
    ...(
      [
        ["namespace", "n", /cluster-scoped/],
        ["generateName", "n-", /keeps the name/],
        ["ownerReferences", [{}], /^Add the owner/],
        ["finalizers", ["f"], /if a controller handles it/],
        ["deletionTimestamp", "2020-01-01T00:00:00Z", /about to be deleted/],
      ] as const
    ).map(([field, value, remedy]) => ({
      code: "DroppedMetadata",
      given: [withMetadata({ [field]: value })],
      message: `metadata.${field} is not carried over`,
      remedy,
    })),
  ])(
    "When $code is told, it should say $message and what to do: $remedy",
    ({ code, given, message, remedy }) => {
      const { issues } = convertMirrorPolicies(given);
      const matching = (text: string | RegExp) =>
        typeof text === "string" ? text : expect.stringMatching(text);
      expect(issues.filter((issue) => issue.code === code)).toEqual([
        expect.objectContaining({ message: matching(message), remedy: matching(remedy) }),
      ]);
    },
  );

  test("When metadata is there but empty, it should not say that it was dropped", () => {
    const empty = { namespace: "", generateName: "", ownerReferences: [] };
    expect(told([withMetadata(empty)])).toEqual([]);
    expect(told([withMetadata({ deletionTimestamp: null })])).toEqual([]);
  });

  test.for([
    { name: "a", isName: true },
    { name: "a1.b-c.2", isName: true },
    { name: "a".repeat(253), isName: true },
    { name: "a".repeat(254), isName: false },
    { name: "-a", isName: false },
    { name: "a-", isName: false },
    { name: "a..b", isName: false },
    { name: "a.B", isName: false },
    { name: "a_b", isName: false },
  ])("When the name is $name, it should be one: $isName", ({ name, isName }) => {
    expect(told([withMetadata({ name })])).toEqual(isName ? [] : ["error InvalidName metadata.name"]);
  });

  test.for([
    {
      apiVersion: "operator.openshift.io/v1",
      kind: "ImageContentSourcePolicy",
      remedy: "apiVersion: operator.openshift.io/v1alpha1",
    },
    { apiVersion: "v1", kind: "ImageSourceTagPolicy", remedy: "apiVersion: config.openshift.io/v1" },
    { apiVersion: "config.openshift.io/v1", kind: "ImageDigestMirrorSet", remedy: "leave it out" },
    { apiVersion: "config.openshift.io/v1", kind: "ImageTagMirrorSet", remedy: "leave it out" },
    { apiVersion: "v1", kind: "ConfigMap", remedy: "ImageContentSourcePolicies" },
  ])(
    "When the object is a $kind of $apiVersion, it should tell the way out",
    ({ apiVersion, kind, remedy }) => {
      const [issue] = convertMirrorPolicies([{ apiVersion, kind, metadata: { name: "acme" } }]).issues;
      expect(issue?.remedy).toContain(remedy);
      expect(issue?.message).toBe(`${kind} of ${apiVersion} cannot be converted`);
    },
  );
});

test("When objects of any kind and content are given, it should make objects with valid names of their own", () => {
  const word = fc.constantFrom("a", "quay.io/a", "m.lab:5000/x", "*.lab", "bad:tag", "", "no/../way");
  const rules = fc.array(
    fc.oneof(fc.record({ source: word, mirrors: fc.array(word, { maxLength: 3 }) }), fc.jsonValue()),
    { maxLength: 3 },
  );
  const object = fc
    .tuple(
      fc.constantFrom(anImageContentSourcePolicy, digestPolicy, tagPolicy, anImageTagMirrorSet),
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
    { seed: 5, numRuns: 300 },
  );
});
