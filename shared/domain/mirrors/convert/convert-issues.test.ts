import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import {
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageSourceDigestPolicy,
  anImageSourceTagPolicy,
  anImageTagMirrorSet,
  withMetadata,
} from "../fixtures.ts";
import { convertMirrorPolicies } from "./convert.ts";

const rule = { source: "quay.io/a", mirrors: ["m.lab/a"] };

const reported = (objects: readonly KubernetesObject[]) =>
  convertMirrorPolicies(objects).issues.map(({ code, severity, path }) => `${severity} ${code} ${path}`);

const deleted = "2020-01-01T00:00:00Z";

describe("issues", () => {
  const list = "spec.repositoryDigestMirrors";
  test.for([
    ["nothing is wrong", [anImageContentSourcePolicy("acme", [rule])], []],
    [
      "a location is wrong",
      [anImageContentSourcePolicy("acme", [{ source: "https://a", mirrors: ["*.m"] }])],
      [`error InvalidSource ${list}[0].source`, `error InvalidMirror ${list}[0].mirrors[0]`],
    ],
    [
      "a rule has a field that had no effect",
      [anImageContentSourcePolicy("acme", [{ source: "a", mirrorSourcePolicy: "NeverContactSource" }])],
      [`warning UnknownField ${list}[0].mirrorSourcePolicy`],
    ],
    [
      "metadata had an effect",
      [withMetadata({ namespace: "n", finalizers: ["f"], ownerReferences: [], deletionTimestamp: deleted })],
      ["metadata.namespace", "metadata.finalizers", "metadata.deletionTimestamp"].map(
        (path) => `warning DroppedMetadata ${path}`,
      ),
    ],
    [
      "the kind is a new one",
      [anImageDigestMirrorSet("acme", [rule]), anImageTagMirrorSet("acme", [rule])],
      ["error NotConvertible kind", "error NotConvertible kind"],
    ],
  ] as const)("When %s, it should say so", ([, given, issues]) => {
    expect(reported(given)).toEqual(issues);
  });

  const old = (...rules: readonly object[]) => anImageContentSourcePolicy("acme", rules);
  const repeating = { source: "a", mirrors: ["m", "m"] };
  const made = "ImageDigestMirrorSet/acme was already made from ImageContentSourcePolicy/acme";
  type Text = string | RegExp;
  type Row = readonly [code: string, given: readonly KubernetesObject[], message: Text, remedy: Text];

  test.for<Row>([
    ["InvalidName", [withMetadata({ name: "../Acme" })], /is not a DNS subdomain/, /^Use at most 253/],
    [
      "ChangedMeaning",
      [anImageSourceTagPolicy("acme", [rule])],
      /served pulls by digest and by tag, .* an ImageDigestMirrorSet with the same rules is made beside it/,
      "Create both, or pulls by digest lose these mirrors.",
    ],
    ["DuplicateMirror", [old(repeating)], /the new kind does not allow; it is written once$/, /--check/],
    [
      "DuplicateMirror",
      [anImageSourceDigestPolicy("acme", [repeating])],
      /server refuses the object$/,
      "Remove this repetition.",
    ],
    ["UnknownField", [old({ source: "a", typo: 1 })], /has no such field here/, /are source, mirrors\.$/],
    [
      "DuplicateName",
      [old(rule), anImageSourceDigestPolicy("acme", [rule])],
      `${made} with the same rules; it is written once`,
      "Remove one of the two.",
    ],
    [
      "DuplicateName",
      [old(rule), anImageSourceDigestPolicy("acme", [])],
      `${made} with other rules`,
      "Rename one of the two, or put their rules into one object.",
    ],
    ...(
      [
        ["namespace", "n", /cluster-scoped/],
        ["generateName", "n-", /keeps the name/],
        ["ownerReferences", [{}], /^Add the owner/],
        ["finalizers", ["f"], /if a controller handles it/],
        ["deletionTimestamp", deleted, /about to be deleted/],
      ] as const
    ).map(([field, value, remedy]): Row => {
      const message = `metadata.${field} is not carried over`;
      return ["DroppedMetadata", [withMetadata({ [field]: value })], message, remedy];
    }),
  ])("When $0 is reported, it should say $2 and what to do: $3", ([code, given, message, remedy]) => {
    const { issues } = convertMirrorPolicies(given);
    const matching = (text: string | RegExp) =>
      typeof text === "string" ? text : expect.stringMatching(text);
    expect(issues.filter((issue) => issue.code === code)).toEqual([
      expect.objectContaining({ message: matching(message), remedy: matching(remedy) }),
    ]);
  });

  test("When names are taken by other rules, it should take the first free name of each kind and say so", () => {
    const taken = (name: string) => anImageDigestMirrorSet(name, [{ source: "quay.io/other" }]);
    const given = [
      anImageContentSourcePolicy("acme", [rule]),
      anImageContentSourcePolicy("acme-converted", [rule]),
      anImageSourceTagPolicy("tags", [rule]),
    ];
    const existing = [taken("acme"), taken("tags"), anImageTagMirrorSet("acme", [])];
    const { objects, issues } = convertMirrorPolicies(given, existing);
    expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      "ImageDigestMirrorSet/acme-converted-2",
      "ImageDigestMirrorSet/acme-converted",
      "ImageDigestMirrorSet/tags-converted",
      "ImageTagMirrorSet/tags",
    ]);
    expect(issues.filter(({ code }) => code === "NameTaken")).toEqual([
      {
        code: "NameTaken",
        severity: "warning",
        object: { kind: "ImageContentSourcePolicy", name: "acme" },
        path: "metadata.name",
        value: "acme",
        message:
          "ImageDigestMirrorSet/acme exists with other rules; the new object is called acme-converted-2",
        remedy: "Create it beside the other, or put the rules of both into one object.",
      },
      expect.objectContaining({ object: { kind: "ImageSourceTagPolicy", name: "tags" }, value: "tags" }),
    ]);
  });

  test("When metadata is there but empty, it should not say that it was dropped", () => {
    const empty = { namespace: "", generateName: "", ownerReferences: [] };
    expect(reported([withMetadata(empty)])).toEqual([]);
    expect(reported([withMetadata({ deletionTimestamp: null })])).toEqual([]);
  });

  test.for([
    ["ImageContentSourcePolicy", "operator.openshift.io/v1", "apiVersion: operator.openshift.io/v1alpha1"],
    ["ImageSourceTagPolicy", "v1", "apiVersion: config.openshift.io/v1"],
    ["ImageDigestMirrorSet", "config.openshift.io/v1", "remove it from the input"],
    ["ImageTagMirrorSet", "config.openshift.io/v1", "remove it from the input"],
    ["ConfigMap", "v1", "ImageContentSourcePolicies"],
  ] as const)("When the object has kind %s of %s, it should give a remedy", ([kind, apiVersion, remedy]) => {
    const [issue] = convertMirrorPolicies([{ apiVersion, kind, metadata: { name: "acme" } }]).issues;
    expect(issue?.remedy).toContain(remedy);
    expect(issue?.message).toBe(`${kind} of ${apiVersion} cannot be converted`);
  });
});
