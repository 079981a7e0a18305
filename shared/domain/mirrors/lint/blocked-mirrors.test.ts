import { expect, test } from "vitest";
import { anImageDigestMirrorSet } from "../fixtures.ts";
import { type Given, issuesAbout, places } from "./fixtures.ts";

const never = "NeverContactSource";
const rule = { source: "a.io/ns", mirrors: ["m.lab/ns", "bad.lab/ns"] };
const mirrored = anImageDigestMirrorSet("mirrored", [rule]);
const path = "spec.imageDigestMirrors[0].mirrors[1]";

test("When a mirror lies in a blocked scope, it should report that it is never used", () => {
  expect(issuesAbout({ objects: [mirrored], lists: { blockedRegistries: ["bad.lab"] } })).toEqual([
    {
      code: "MirrorBlocked",
      severity: "warning",
      object: { kind: "ImageDigestMirrorSet", name: "mirrored" },
      path,
      value: "bad.lab/ns",
      message: 'the mirror "bad.lab/ns" is never used, since "bad.lab" is blocked',
      remedy:
        "Remove the mirror, or remove the scope from spec.registrySources.blockedRegistries of Image/cluster.",
    },
  ]);
});

test("When a mirror lies in a source that must not be contacted, it should be reported", () => {
  const forbidden = anImageDigestMirrorSet("forbidden", [
    { source: "bad.lab", mirrors: ["m.lab"], mirrorSourcePolicy: never },
  ]);
  expect(issuesAbout({ objects: [mirrored, forbidden] })).toMatchObject([
    {
      path,
      message:
        'the mirror "bad.lab/ns" is never used, since "bad.lab" must not be contacted (NeverContactSource)',
      remedy: "Remove the mirror, or allow contacting the source that contains it.",
    },
  ]);
});

test("When a part of the mirror is blocked once more, it should still report that the mirror is never used", () => {
  const lists = { blockedRegistries: ["bad.lab", "bad.lab/ns/part"] };
  expect(places(issuesAbout({ objects: [mirrored], lists }))).toContain(
    `MirrorBlocked ImageDigestMirrorSet/mirrored ${path}`,
  );
});

test("When many mirrors lie in one blocked scope, each object should get one issue", () => {
  const many = anImageDigestMirrorSet("many", [rule, { source: "b.io", mirrors: ["bad.lab/b"] }]);
  expect(places(issuesAbout({ objects: [many], lists: { blockedRegistries: ["*.lab"] } }))).toEqual([
    "MirrorBlocked ImageDigestMirrorSet/many spec.imageDigestMirrors[0].mirrors[0]",
  ]);
});

test.for<Given & { name: string }>([
  { name: "nothing is blocked", objects: [mirrored], lists: { insecureRegistries: ["bad.lab"] } },
  {
    name: "only a part of the mirror is blocked",
    objects: [mirrored],
    lists: { blockedRegistries: ["bad.lab/ns/part"] },
  },
  {
    name: "a part of the mirror is not forbidden, where the rest is",
    objects: [
      mirrored,
      anImageDigestMirrorSet("forbidden", [
        { source: "bad.lab", mirrors: ["m.lab"], mirrorSourcePolicy: never },
        { source: "bad.lab/ns/part", mirrors: ["m.lab/p"], mirrorSourcePolicy: "AllowContactingSource" },
      ]),
    ],
  },
  {
    name: "the mirror has an entry of its own inside of one that is forbidden",
    objects: [
      mirrored,
      anImageDigestMirrorSet("forbidden", [
        { source: "bad.lab", mirrors: ["m.lab"], mirrorSourcePolicy: never },
        { source: "bad.lab/ns", mirrors: ["m.lab/p"], mirrorSourcePolicy: "AllowContactingSource" },
      ]),
    ],
  },
  {
    name: "the base file blocks it",
    objects: [mirrored],
    template: '[[registry]]\nlocation = "bad.lab"\nblocked = true\n',
  },
  {
    name: "the base file blocks what has mirrors itself",
    objects: [mirrored, anImageDigestMirrorSet("allowed", [{ source: "bad.lab", mirrors: ["m.lab"] }])],
    template: '[[registry]]\nlocation = "bad.lab"\nblocked = true\n',
  },
])("When $name, it should report nothing", (given) => {
  expect(issuesAbout(given)).toEqual([]);
});
