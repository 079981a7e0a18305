import { describe, expect, test } from "vitest";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { aDigestMirrorSet } from "../../../test/support/hub/objects.ts";
import { aRun, objectsOf } from "../../../test/support/oc-mirror/cluster-resources.ts";
import { compareWithHub } from "./compare.ts";
import { importTraps, unsignedReleases } from "./import-warnings.ts";

const digest = `sha256:${"a".repeat(64)}`;
const run = aRun({ catalog: `mirror.lan:8443/redhat/index@${digest}` });
const withRules = (
  object: KubernetesObject,
  list: string,
  ...rules: readonly object[]
): KubernetesObject => ({
  ...object,
  spec: { [list]: rules },
});
const rule = (source: string, ...mirrors: readonly string[]) => ({ source, mirrors });
const digests = (...rules: readonly object[]) =>
  withRules(run.idms[1] ?? run.itms, "imageDigestMirrors", ...rules);

const trapsOf = (made: readonly KubernetesObject[], hub: readonly KubernetesObject[] = []) =>
  importTraps(compareWithHub(made, hub));
const found = (issues: readonly Issue[]) =>
  issues.map(
    ({ code, severity, object, path }) => `${severity} ${code} ${object.kind}/${object.name} ${path}`,
  );

describe("rules that an earlier run has left", () => {
  /** An object of an earlier run, by its name, with one rule. */
  const earlier = (source: string, ...mirrors: readonly string[]) =>
    aDigestMirrorSet("idms-generic-0", [{ source, mirrors: [...mirrors] }]);
  const fresh = digests(rule("quay.io/team/app", "m.lan/app"), rule("quay.io/other", "m.lan/other"));
  const stale =
    "warning StaleMirrorSet ImageDigestMirrorSet/idms-generic-0 spec.imageDigestMirrors[0].source";

  test.for([
    ["is about the same source, with another mirror", earlier("quay.io/team/app", "old.lan/app"), [stale]],
    ["is about a part of it, with another mirror", earlier("quay.io/team/app/part", "old.lan/app"), [stale]],
    ["is about more than it", earlier("quay.io/team", "old.lan/team"), []],
    ["has no mirror of its own", earlier("quay.io/team/app", "m.lan/app"), []],
    [
      "is about tags",
      withRules(
        { ...run.itms, metadata: { name: "itms-generic-0" } },
        "imageTagMirrors",
        rule("quay.io/team/app", "old.lan/app"),
      ),
      [],
    ],
    [
      "is one of a person's",
      aDigestMirrorSet("own", [{ source: "quay.io/team/app", mirrors: ["old.lan/app"] }]),
      [],
    ],
  ] as const)("When one $0, it should report $2", ([, old, issues]) => {
    expect(found(trapsOf([fresh], [old]))).toEqual(issues);
  });

  test("When oc-mirror's first version has left one, it should be reported, and name each object of this run once", () => {
    const old: KubernetesObject = {
      apiVersion: "operator.openshift.io/v1alpha1",
      kind: "ImageContentSourcePolicy",
      metadata: { name: "operator-0", labels: { "operators.openshift.org/catalog": "true" } },
      spec: { repositoryDigestMirrors: [rule("quay.io/team/app/part", "old.lan/app")] },
    };
    const twice = digests(rule("quay.io/team/app", "m.lan/app"), rule("quay.io/team/app", "m.lan/more"));
    const [issue, ...others] = trapsOf([twice], [old]);
    expect(others).toEqual([]);
    expect(issue).toMatchObject({
      code: "StaleMirrorSet",
      message: expect.stringMatching(/instead of those of ImageDigestMirrorSet\/idms-operator-0$/),
      remedy: expect.stringContaining("Delete the object"),
    });
  });
});

describe("catalogs", () => {
  const named = (length: number) =>
    aRun({ catalog: `m.lan/index@${digest}`, catalogName: "a".repeat(length - 3) });

  test("When a name has 63 characters, nothing should be reported; with one more, the label that is too short for it", () => {
    const { cs, cc } = named(63);
    expect(trapsOf([cs, cc])).toEqual([]);
    const issues = trapsOf([named(64).cs, named(64).cc]);
    expect(found(issues)).toEqual([
      expect.stringMatching(/^error CatalogNameTooLong CatalogSource\/cs-a+ metadata\.name$/),
      expect.stringMatching(/^error CatalogNameTooLong ClusterCatalog\/cc-a+ metadata\.name$/),
    ]);
    expect(issues.map(({ message }) => message)).toEqual([
      "The name has 64 characters, and the label of the catalog's pod takes at most 63",
      "The name has 64 characters, and the label that OLM gives the catalog takes at most 63",
    ]);
    expect(issues.map(({ value }) => value)).toEqual([`cs-${"a".repeat(61)}`, `cc-${"a".repeat(61)}`]);
    expect(issues[0]?.remedy).toContain("shorter targetCatalog");
  });

  test("When another object has a long name, nothing should be reported", () => {
    expect(trapsOf([{ ...run.updateService, metadata: { name: "a".repeat(64) } }])).toEqual([]);
  });
});

test.for([
  { what: "no signature", made: run.idms, hub: [], expected: 1 },
  { what: "a signature", made: objectsOf(run), hub: [], expected: 0 },
  { what: "a signature on the hub", made: run.idms, hub: objectsOf(run), expected: 0 },
  { what: "no release", made: [run.cs], hub: [], expected: 0 },
])("When a run has $what, it should report $expected unsigned releases", ({ made, hub, expected }) => {
  expect(found(unsignedReleases(made, hub))).toEqual(
    Array.from(
      { length: expected },
      () => "warning ReleaseNotSigned ImageDigestMirrorSet/idms-release-0 spec.imageDigestMirrors[0].source",
    ),
  );
});
