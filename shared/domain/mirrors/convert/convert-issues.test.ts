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
  ])("When $0 is reported, it should say $2 and what to do: $3", ([code, given, message, remedy]) => {
    const { issues } = convertMirrorPolicies(given);
    const matching = (text: string | RegExp) =>
      typeof text === "string" ? text : expect.stringMatching(text);
    expect(issues.filter((issue) => issue.code === code)).toEqual([
      expect.objectContaining({ message: matching(message), remedy: matching(remedy) }),
    ]);
  });

  test("When a mirror set of the name exists, it should be kept unless its rules are the same", () => {
    const given = [anImageContentSourcePolicy("acme", [rule]), anImageContentSourcePolicy("own", [rule])];
    const existing = [
      anImageDigestMirrorSet("acme", [{ source: "quay.io/other" }]),
      anImageDigestMirrorSet("own", [rule]),
      anImageTagMirrorSet("acme", []),
    ];
    const { objects, issues } = convertMirrorPolicies(given, existing);
    expect(objects).toEqual([anImageDigestMirrorSet("own", [rule])]);
    expect(issues).toEqual([
      {
        code: "DuplicateName",
        severity: "error",
        object: { kind: "ImageContentSourcePolicy", name: "acme" },
        path: "metadata.name",
        value: "acme",
        message: "ImageDigestMirrorSet/acme exists with other rules",
        remedy: "Rename the policy, or put the rules of both into one object.",
      },
    ]);
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
