import { expect, test } from "vitest";
import { anImageContentSourcePolicy, anImageDigestMirrorSet } from "../fixtures.ts";
import { type Given, places, toldAbout } from "./fixtures.ts";

const forbidden = anImageDigestMirrorSet("forbidden", [
  { source: "a.io", mirrors: ["m.lab"], mirrorSourcePolicy: "NeverContactSource" },
]);
const inner = (mirrorSourcePolicy?: string) => ({
  source: "a.io/ns",
  mirrors: ["m.lab/x"],
  ...(mirrorSourcePolicy ? { mirrorSourcePolicy } : {}),
});
const code = "NeverContactSourceNotInherited";

test("When a rule inside says nothing about contacting its source, it should tell that it may be", () => {
  expect(toldAbout({ objects: [forbidden, anImageDigestMirrorSet("inner", [inner()])] })).toEqual([
    {
      code,
      severity: "warning",
      object: { kind: "ImageDigestMirrorSet", name: "inner" },
      path: "spec.imageDigestMirrors[0].source",
      value: "a.io/ns",
      message: '"a.io/ns" may be contacted: NeverContactSource of "a.io" does not count for it',
      remedy:
        "Give every rule of a.io/ns a mirrorSourcePolicy: NeverContactSource, or AllowContactingSource if that is meant.",
    },
  ]);
});

test("When an insecure scope lies inside, it should tell that it may be contacted", () => {
  expect(toldAbout({ objects: [forbidden], lists: { insecureRegistries: ["b.io", "a.io/ns"] } })).toEqual([
    {
      code,
      severity: "warning",
      object: { kind: "Image", name: "cluster" },
      path: "spec.registrySources.insecureRegistries[1]",
      value: "a.io/ns",
      message: '"a.io/ns" may be contacted: NeverContactSource of "a.io" does not count for it',
      remedy:
        "Add a rule for a.io/ns with mirrorSourcePolicy NeverContactSource, or take the scope out of the list.",
    },
  ]);
});

test("When the kind has no such field, it should tell it all the same", () => {
  expect(places(toldAbout({ objects: [forbidden, anImageContentSourcePolicy("old", [inner()])] }))).toEqual([
    `${code} ImageContentSourcePolicy/old spec.repositoryDigestMirrors[0].source`,
  ]);
});

test("When one of several rules has decided, the one that has not should be told", () => {
  const rules = [inner("AllowContactingSource"), { ...inner(), mirrors: ["m.lab/y"] }];
  expect(places(toldAbout({ objects: [forbidden, anImageDigestMirrorSet("inner", rules)] }))).toEqual([
    `${code} ImageDigestMirrorSet/inner spec.imageDigestMirrors[1].source`,
  ]);
});

test("When a scope of the list has a rule too, the rule alone should be told", () => {
  const objects = [forbidden, anImageDigestMirrorSet("inner", [inner()])];
  expect(places(toldAbout({ objects, lists: { insecureRegistries: ["a.io/ns"] } }))).toEqual([
    `${code} ImageDigestMirrorSet/inner spec.imageDigestMirrors[0].source`,
  ]);
});

test.for<Given & { name: string }>([
  {
    name: "the rule inside allows it in so many words",
    objects: [forbidden, anImageDigestMirrorSet("inner", [inner("AllowContactingSource")])],
  },
  {
    name: "the rule inside forbids it too",
    objects: [forbidden, anImageDigestMirrorSet("inner", [inner("NeverContactSource")])],
  },
  {
    name: "the source inside is blocked",
    objects: [forbidden, anImageDigestMirrorSet("inner", [inner()])],
    lists: { blockedRegistries: ["a.io/ns"] },
  },
  { name: "the source around it may be contacted", objects: [anImageDigestMirrorSet("inner", [inner()])] },
  {
    name: "the other source lies elsewhere",
    objects: [forbidden, anImageDigestMirrorSet("inner", [{ source: "b.io/ns", mirrors: ["m.lab/x"] }])],
  },
])("When $name, it should tell nothing of it", (given) => {
  expect(toldAbout(given).filter((issue) => issue.code === code)).toEqual([]);
});
