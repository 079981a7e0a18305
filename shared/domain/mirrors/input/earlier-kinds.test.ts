import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { configureMirrors } from "../configuration.ts";
import { anImageContentSourcePolicy, anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";

const source = "quay.io/acme";

function anEarlierPolicy(
  kind: string,
  list: string,
  mirrors: readonly string[],
  apiVersion = "config.openshift.io/v1",
): KubernetesObject {
  return { apiVersion, kind, metadata: { name: "acme" }, spec: { [list]: [{ source, mirrors }] } };
}

const digestPolicy = (...mirrors: string[]) =>
  anEarlierPolicy("ImageSourceDigestPolicy", "repositoryDigestMirrors", mirrors);
const tagPolicy = (...mirrors: string[]) =>
  anEarlierPolicy("ImageSourceTagPolicy", "repositoryTagMirrors", mirrors);

/** The mirrors of the one entry, each as `location pull-from-mirror`. */
function mirrorsOf(...objects: KubernetesObject[]): readonly string[] {
  const { entries } = configureMirrors({ objects });
  return entries.flatMap(({ mirrors }) =>
    mirrors.map(({ location, pullFromMirror }) => `${location} ${pullFromMirror}`.trim()),
  );
}

test.for([
  {
    name: "When a digest policy is alone, it should serve pulls by digest",
    objects: [digestPolicy("z.lab", "a.lab")],
    mirrors: ["z.lab digest-only", "a.lab digest-only"],
  },
  {
    name: "When a digest policy stands beside the newer and the older kind, it should join their merge",
    objects: [
      anImageContentSourcePolicy("icsp", [{ source, mirrors: ["z.lab", "y.lab"] }]),
      digestPolicy("y.lab", "x.lab"),
      anImageDigestMirrorSet("idms", [{ source, mirrors: ["x.lab", "w.lab"] }]),
    ],
    mirrors: ["z.lab digest-only", "y.lab digest-only", "x.lab digest-only", "w.lab digest-only"],
  },
  {
    name: "When a tag policy is alone, it should serve all pulls",
    objects: [tagPolicy("z.lab", "a.lab")],
    mirrors: ["z.lab", "a.lab"],
  },
  {
    name: "When a tag policy repeats locations of the newer kinds, they should serve the other pulls as well",
    objects: [
      tagPolicy("n.lab", "d.lab", "t.lab"),
      anImageDigestMirrorSet("idms", [{ source, mirrors: ["d.lab"] }]),
      anImageTagMirrorSet("itms", [{ source, mirrors: ["t.lab"] }]),
    ],
    mirrors: ["d.lab digest-only", "t.lab tag-only", "n.lab", "d.lab tag-only", "t.lab digest-only"],
  },
  {
    name: "When a tag policy names the mirror of an ImageContentSourcePolicy, it should serve tags as well",
    objects: [anImageContentSourcePolicy("icsp", [{ source, mirrors: ["m.lab"] }]), tagPolicy("m.lab")],
    mirrors: ["m.lab digest-only", "m.lab tag-only"],
  },
  {
    name: "When a tag policy names the mirror of a digest policy, it should serve tags as well",
    objects: [digestPolicy("m.lab"), tagPolicy("m.lab")],
    mirrors: ["m.lab digest-only", "m.lab tag-only"],
  },
  {
    name: "When other kinds have the mirror for both kinds of pulls, a tag policy should add nothing",
    objects: [
      tagPolicy("m.lab"),
      anImageDigestMirrorSet("idms", [{ source, mirrors: ["m.lab"] }]),
      anImageTagMirrorSet("itms", [{ source, mirrors: ["m.lab"] }]),
    ],
    mirrors: ["m.lab digest-only", "m.lab tag-only"],
  },
  {
    name: "When the policy is in the group of the operators, it should mean the same",
    objects: [
      anEarlierPolicy(
        "ImageSourceTagPolicy",
        "repositoryTagMirrors",
        ["m.lab"],
        "operator.openshift.io/v1alpha1",
      ),
    ],
    mirrors: ["m.lab"],
  },
  {
    name: "When the policy is in a version where it never was, it should be ignored",
    objects: [
      anEarlierPolicy("ImageSourceTagPolicy", "repositoryTagMirrors", ["m.lab"], "operator.openshift.io/v1"),
    ],
    mirrors: [],
  },
])("$name", ({ objects, mirrors }) => {
  expect(mirrorsOf(...objects)).toEqual(mirrors);
  expect(mirrorsOf(...objects.toReversed())).toEqual(mirrors);
});

test("When an earlier kind is rendered, it should be reported as superseded", () => {
  const { issues } = configureMirrors({ objects: [tagPolicy("m.lab")] });
  expect(issues).toMatchObject([
    {
      code: "SupersededKind",
      severity: "warning",
      object: { kind: "ImageSourceTagPolicy", name: "acme" },
      path: "kind",
      message: expect.stringMatching(/^ImageSourceTagPolicy was superseded/),
      remedy: expect.stringContaining("hubrelay convert"),
    },
  ]);
});

test.for([
  { kind: "ImageSourceDigestPolicy", list: "repositoryDigestMirrors" },
  { kind: "ImageSourceTagPolicy", list: "repositoryTagMirrors" },
])("When the $kind has a source policy, it should ignore it with a warning", ({ kind, list }) => {
  const policy = anEarlierPolicy(kind, list, ["m.lab"]);
  const spec = { [list]: [{ source, mirrors: ["m.lab"], mirrorSourcePolicy: "NeverContactSource" }] };
  const { entries, issues } = configureMirrors({ objects: [{ ...policy, spec }] });
  expect(entries).toMatchObject([{ location: source, blocked: false }]);
  expect(issues.map(({ code }) => code)).toContain("UnknownField");
});

test("When the mode is mco, it should not read the earlier kinds, and report that", () => {
  const { entries, files, issues } = configureMirrors(
    { objects: [tagPolicy("m.lab"), digestPolicy("m.lab")] },
    { compat: "mco" },
  );
  expect({ entries, files }).toEqual({ entries: [], files: [] });
  expect(issues.map(({ code, object }) => `${code} ${object.kind}`)).toEqual([
    "SupersededKind ImageSourceTagPolicy",
    "SupersededKind ImageSourceDigestPolicy",
  ]);
});
