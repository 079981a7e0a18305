import { describe, expect, test } from "vitest";
import { configureMirrors } from "../configuration.ts";
import { anImageDigestMirrorSet } from "../fixtures.ts";

const object = (apiVersion: string, kind: string, spec: unknown) => ({
  apiVersion,
  kind,
  metadata: { name: "odd" },
  spec,
});
const rules = [
  { source: "a.io", mirrors: ["m.lab"] },
  { source: "b.io", mirrors: ["m.lab"] },
];
const good = anImageDigestMirrorSet("good", [{ source: "good.io", mirrors: ["m.lab"] }]);
const config = "config.openshift.io/v1";

const render = (apiVersion: string, kind: string, spec: unknown, options = {}) => {
  const { entries, issues, refused } = configureMirrors(
    { objects: [object(apiVersion, kind, spec), good] },
    options,
  );
  return {
    entries: entries.map(({ location }) => location),
    issues: issues.map(({ code, severity, path, remedy }) => ({ code, severity, path, remedy })),
    refused,
  };
};

type Case = Readonly<{
  apiVersion: string;
  kind: string;
  spec: unknown;
  code: string;
  path: string;
  remedy: RegExp;
  /** The sources that have an effect. */
  entries?: readonly string[];
  /** What else is wrong with the object. */
  others?: readonly string[];
}>;

const cases: readonly Case[] = [
  {
    apiVersion: "operator.openshift.io/v1alpha1",
    kind: "ImageDigestMirrorSet",
    spec: { imageDigestMirrors: rules },
    code: "WrongApiVersion",
    path: "apiVersion",
    remedy: /^Write apiVersion: config\.openshift\.io\/v1\.$/,
  },
  {
    apiVersion: "operator.openshift.io/v1",
    kind: "ImageTagMirrorSet",
    spec: { imageTagMirrors: rules },
    code: "WrongApiVersion",
    path: "apiVersion",
    remedy: /config\.openshift\.io\/v1\./,
  },
  {
    apiVersion: config,
    kind: "ImageContentSourcePolicy",
    spec: { repositoryDigestMirrors: rules },
    code: "WrongApiVersion",
    path: "apiVersion",
    remedy: /operator\.openshift\.io\/v1alpha1/,
  },
  {
    apiVersion: "operator.openshift.io/v1",
    kind: "ImageTagMirrorSet",
    spec: { imageTagMirrors: rules, others: [1, 2, 3], imageDigestMirrors: "none" },
    code: "WrongApiVersion",
    path: "apiVersion",
    remedy: /config\.openshift\.io\/v1\./,
    others: ["UnknownField spec.others", "WrongField spec.imageDigestMirrors"],
  },
  {
    apiVersion: "operator.openshift.io/v1alpha1",
    kind: "ImageDigestMirrorSet",
    spec: { imageDigestMirrors: [{ source: "a.io:v1", mirrors: ["https://m.lab"] }, { source: 1 }] },
    code: "WrongApiVersion",
    path: "apiVersion",
    remedy: /config\.openshift\.io\/v1\./,
    others: [
      "InvalidType spec.imageDigestMirrors[1].source",
      "InvalidSource spec.imageDigestMirrors[0].source",
      "InvalidMirror spec.imageDigestMirrors[0].mirrors[0]",
    ],
  },
  {
    apiVersion: "operator.openshift.io/v1",
    kind: "ImageTagMirrorSet",
    spec: null,
    code: "WrongApiVersion",
    path: "apiVersion",
    remedy: /config\.openshift\.io\/v1\./,
  },
  {
    apiVersion: "operator.openshift.io/v1alpha1",
    kind: "ImageContentSourcePolicies",
    spec: { repositoryDigestMirrors: rules },
    code: "UnknownKind",
    path: "kind",
    remedy: /kind: ImageContentSourcePolicy, with its rules in spec\.repositoryDigestMirrors/,
  },
  {
    apiVersion: config,
    kind: "ImageTagMirrors",
    spec: { imageTagMirrors: rules },
    code: "UnknownKind",
    path: "kind",
    remedy: /kind: ImageTagMirrorSet, with its rules in spec\.imageTagMirrors/,
  },
  {
    apiVersion: config,
    kind: "imagedigestmirrorsets",
    spec: { imageDigestMirrors: rules },
    code: "UnknownKind",
    path: "kind",
    remedy: /kind: ImageDigestMirrorSet/,
  },
  {
    apiVersion: config,
    kind: "ImageDigestMirrorSet",
    spec: { repositoryDigestMirrors: rules },
    code: "WrongField",
    path: "spec.repositoryDigestMirrors",
    remedy: /Rename spec\.repositoryDigestMirrors to spec\.imageDigestMirrors/,
  },
  {
    apiVersion: config,
    kind: "ImageTagMirrorSet",
    spec: { imageDigestMirrors: rules, imageTagMirrors: rules },
    code: "WrongField",
    path: "spec.imageDigestMirrors",
    remedy: /spec\.imageTagMirrors/,
    entries: ["good.io", "a.io", "b.io"],
  },
];

describe("objects with a similar name", () => {
  test.for(cases)(
    "When $kind is written as $apiVersion with $spec, it should be reported, with the right name",
    ({ apiVersion, kind, spec, code, path, remedy, entries = ["good.io"], others = [] }) => {
      const rendered = render(apiVersion, kind, spec);
      expect(rendered).toMatchObject({ entries, refused: false });
      const [issue, ...more] = rendered.issues;
      expect(issue).toEqual({ code, severity: "error", path, remedy: expect.stringMatching(remedy) });
      expect(more.map((other) => `${other.code} ${other.path}`)).toEqual(others);
      const likeMco = render(apiVersion, kind, spec, { isStored: true });
      expect(likeMco).toMatchObject({ refused: false, issues: [{ code, severity: "warning" }] });
    },
  );

  test("When an ImageContentPolicy is given, it should say that nothing reads it", () => {
    expect(render(config, "ImageContentPolicy", {}).issues).toMatchObject([
      { code: "KindWithoutEffect", severity: "warning", path: "kind" },
    ]);
  });

  test.for(["Image", "ImageContentPolicy", "ConfigMap", "ImageStream", "ClusterGroupUpgrade"])(
    "When a foreign kind such as %s is given, it should report nothing",
    (kind) => {
      expect(render("example.openshift.io/v1", kind, {}).issues).toEqual([]);
    },
  );

  test("When an image policy has another version, it should be left out with an error", () => {
    const old = object("config.openshift.io/v1alpha1", "ClusterImagePolicy", {});
    const rendered = configureMirrors({ objects: [old, good] });
    expect(rendered).toMatchObject({
      refused: false,
      issues: [
        { code: "WrongApiVersion", path: "apiVersion" },
        { path: "spec.scopes" },
        { path: "spec.policy" },
      ],
    });
    expect(configureMirrors({ objects: [old, good] }, { isStored: true }).refused).toBe(false);
    const foreign = object("policy.sigstore.dev/v1beta1", "ClusterImagePolicy", {});
    expect(configureMirrors({ objects: [foreign, good] }).issues).toEqual([]);
  });
});
