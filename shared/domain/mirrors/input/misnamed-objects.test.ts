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

/** With the sources that have an effect. */
type Case = readonly [
  apiVersion: string,
  kind: string,
  spec: object,
  issue: string,
  remedy: RegExp,
  entries?: readonly string[],
];

const [alpha, version] = ["operator.openshift.io/v1alpha1", "WrongApiVersion apiVersion"];
const digests = { imageDigestMirrors: rules };
const old = { repositoryDigestMirrors: rules };
const tags = { imageTagMirrors: rules };

const cases: readonly Case[] = [
  [config, "ImageContentSourcePolicy", old, version, /operator\.openshift\.io\/v1alpha1/],
  ["operator.openshift.io/v1", "ImageTagMirrorSet", tags, version, /o\/v1\.$/],
  [alpha, "ImageDigestMirrorSet", digests, version, /^Write apiVersion: config.*\/v1\.$/],
  [alpha, "ImageContentSourcePolicies", old, "UnknownKind kind", /ImageContentSourcePolicy, .*DigestMirrors/],
  [config, "imagedigestmirrorsets", digests, "UnknownKind kind", /kind: ImageDigestMirrorSet/],
  [
    config,
    "ImageTagMirrorSet",
    { ...digests, imageTagMirrors: rules },
    "WrongField spec.imageDigestMirrors",
    /spec\.imageTagMirrors/,
    ["good.io", "a.io", "b.io"],
  ],
];

describe("objects with a similar name", () => {
  test.for(cases)(
    "When $1 is written as $0 with $2, it should be reported, with the right name",
    ([apiVersion, kind, spec, wanted, remedy, entries = ["good.io"]]) => {
      const [code, path] = wanted.split(" ");
      const rendered = render(apiVersion, kind, spec);
      expect(rendered).toMatchObject({ entries, refused: false });
      expect(rendered.issues).toEqual([
        { code, severity: "error", path, remedy: expect.stringMatching(remedy) },
      ]);
      const likeMco = render(apiVersion, kind, spec, { isStored: true });
      expect(likeMco).toMatchObject({ refused: false, issues: [{ code, severity: "warning" }] });
    },
  );

  test.for(["Image", "ImageContentPolicy", "ConfigMap", "ImageStream", "ClusterGroupUpgrade"])(
    "When a foreign kind such as %s is given, it should report nothing",
    (kind) => {
      expect(render("example.openshift.io/v1", kind, {}).issues).toEqual([]);
    },
  );
});
