import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { configureMirrors } from "../configuration.ts";
import { anImageContentSourcePolicy, anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";

const source = "quay.io/acme";

const alpha = "operator.openshift.io/v1alpha1";

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
  const { entries } = configureMirrors({ objects }, { writer: "hubrelay" });
  return entries.flatMap(({ mirrors }) =>
    mirrors.map(({ location, pullFromMirror }) => `${location} ${pullFromMirror}`.trim()),
  );
}

test.for([
  [
    "When a digest policy is alone, it should serve pulls by digest",
    [digestPolicy("z.lab", "a.lab")],
    ["z.lab digest-only", "a.lab digest-only"],
  ],
  [
    "When a digest policy stands beside the newer and the older kind, it should join their merge",
    [
      anImageContentSourcePolicy("icsp", [{ source, mirrors: ["z.lab", "y.lab"] }]),
      digestPolicy("y.lab", "x.lab"),
      anImageDigestMirrorSet("idms", [{ source, mirrors: ["x.lab", "w.lab"] }]),
    ],
    ["z.lab digest-only", "y.lab digest-only", "x.lab digest-only", "w.lab digest-only"],
  ],
  [
    "When a tag policy is alone, it should serve all pulls",
    [tagPolicy("z.lab", "a.lab")],
    ["z.lab digest-only", "a.lab digest-only", "z.lab tag-only", "a.lab tag-only"],
  ],
  [
    "When a tag policy repeats locations of the newer kinds, they should serve the other pulls as well",
    [
      tagPolicy("n.lab", "d.lab", "t.lab"),
      anImageDigestMirrorSet("idms", [{ source, mirrors: ["d.lab"] }]),
      anImageTagMirrorSet("itms", [{ source, mirrors: ["t.lab"] }]),
    ],
    ["digest", "tag"].flatMap((pulls) =>
      ["n.lab", "d.lab", "t.lab"].map((mirror) => `${mirror} ${pulls}-only`),
    ),
  ],
  [
    "When the policy is in the group of the operators, it should mean the same",
    [anEarlierPolicy("ImageSourceTagPolicy", "repositoryTagMirrors", ["m.lab"], alpha)],
    ["m.lab digest-only", "m.lab tag-only"],
  ],
  [
    "When the policy is in a version where it never was, it should be ignored",
    [anEarlierPolicy("ImageSourceTagPolicy", "repositoryTagMirrors", ["m.lab"], "operator.openshift.io/v1")],
    [],
  ],
] as const)("%s", ([, objects, mirrors]) => {
  expect(mirrorsOf(...objects)).toEqual(mirrors);
  expect(mirrorsOf(...objects.toReversed())).toEqual(mirrors);
});

test.for([
  { kind: "ImageSourceDigestPolicy", list: "repositoryDigestMirrors" },
  { kind: "ImageSourceTagPolicy", list: "repositoryTagMirrors" },
])("When the $kind has a source policy, it should ignore it with a warning", ({ kind, list }) => {
  const policy = anEarlierPolicy(kind, list, ["m.lab"]);
  const spec = { [list]: [{ source, mirrors: ["m.lab"], mirrorSourcePolicy: "NeverContactSource" }] };
  const { entries, issues } = configureMirrors({ objects: [{ ...policy, spec }] }, { writer: "hubrelay" });
  expect(entries).toMatchObject([{ location: source, blocked: false }]);
  expect(issues.map(({ code }) => code)).toContain("UnknownField");
});

test("When machine-config-operator writes, they should have no effect, which is said on each of them", () => {
  const wrong = anEarlierPolicy("ImageSourceDigestPolicy", "repositoryDigestMirrors", ["BAD/X"]);
  const { refused, files, issues } = configureMirrors({ objects: [tagPolicy("m.lab"), wrong] });
  expect({ refused, files }).toEqual({ refused: false, files: [] });
  expect(issues.map(({ code, severity, object }) => `${severity} ${code} ${object.kind}`)).toEqual([
    "warning SupersededKind ImageSourceDigestPolicy",
    "warning SupersededKind ImageSourceTagPolicy",
  ]);
  expect(issues[0]?.message).toContain("its rules have no effect on nodes");
});
