import { expect, test } from "vitest";
import { anImageContentSourcePolicy, anImageDigestMirrorSet } from "../fixtures.ts";
import { type Given, issuesAbout, places } from "./fixtures.ts";

const forbidden = anImageDigestMirrorSet("forbidden", [
  { source: "a.io", mirrors: ["m.lab"], mirrorSourcePolicy: "NeverContactSource" },
]);
const inner = (mirrorSourcePolicy?: string) => ({
  source: "a.io/ns",
  mirrors: ["m.lab/x"],
  ...(mirrorSourcePolicy ? { mirrorSourcePolicy } : {}),
});
const code = "NeverContactSourceNotInherited";

test("When a rule inside has no policy, it should report that the source may be contacted", () => {
  expect(issuesAbout({ objects: [forbidden, anImageDigestMirrorSet("inner", [inner()])] })).toEqual([
    {
      code,
      severity: "warning",
      object: { kind: "ImageDigestMirrorSet", name: "inner" },
      path: "spec.imageDigestMirrors[0].source",
      value: "a.io/ns",
      message: '"a.io/ns" may be contacted: NeverContactSource of "a.io" does not apply to it',
      remedy:
        "Give every rule of a.io/ns a mirrorSourcePolicy: NeverContactSource, or AllowContactingSource if that is intended.",
    },
  ]);
});

test("When an insecure scope lies inside, it should report that the source may be contacted", () => {
  expect(issuesAbout({ objects: [forbidden], lists: { insecureRegistries: ["b.io", "a.io/ns"] } })).toEqual([
    {
      code,
      severity: "warning",
      object: { kind: "Image", name: "cluster" },
      path: "spec.registrySources.insecureRegistries[1]",
      value: "a.io/ns",
      message: '"a.io/ns" may be contacted: NeverContactSource of "a.io" does not apply to it',
      remedy:
        "Add a rule for a.io/ns with mirrorSourcePolicy NeverContactSource, or remove the scope from the list.",
    },
  ]);
});

test("When the kind has no such field, it should still be reported", () => {
  expect(places(issuesAbout({ objects: [forbidden, anImageContentSourcePolicy("old", [inner()])] }))).toEqual(
    [`${code} ImageContentSourcePolicy/old spec.repositoryDigestMirrors[0].source`],
  );
});

test("When one of several rules has a policy, only the other one should be reported", () => {
  const rules = [inner("AllowContactingSource"), { ...inner(), mirrors: ["m.lab/y"] }];
  expect(places(issuesAbout({ objects: [forbidden, anImageDigestMirrorSet("inner", rules)] }))).toEqual([
    `${code} ImageDigestMirrorSet/inner spec.imageDigestMirrors[1].source`,
  ]);
});

test("When a scope of the list has a rule too, only the rule should be reported", () => {
  const objects = [forbidden, anImageDigestMirrorSet("inner", [inner()])];
  expect(places(issuesAbout({ objects, lists: { insecureRegistries: ["a.io/ns"] } }))).toEqual([
    `${code} ImageDigestMirrorSet/inner spec.imageDigestMirrors[0].source`,
  ]);
});

test.for<Given & { name: string }>([
  {
    name: "the rule inside allows it explicitly",
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
])("When $name, it should not be reported", (given) => {
  expect(issuesAbout(given).filter((issue) => issue.code === code)).toEqual([]);
});
