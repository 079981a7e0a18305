import { expect, test } from "vitest";
import { configureMirrors, type MirrorInput } from "../configuration.ts";
import { anImage, anImageDigestMirrorSet } from "../fixtures.ts";
import { aClusterImagePolicy, anImagePolicy } from "../policies/fixtures.ts";

const reported = (input: MirrorInput) =>
  configureMirrors(input).issues.filter(({ code }) => code === "PolicyScopeOfMirror");

const mirrored = anImageDigestMirrorSet("quay", [{ source: "quay.io/acme", mirrors: ["m.lab/quay/acme"] }]);

test("When a policy's scope is a mirror, it should report that images of the source are not verified", () => {
  expect(reported({ objects: [mirrored, aClusterImagePolicy("signed", ["m.lab/quay/acme"])] })).toEqual([
    {
      code: "PolicyScopeOfMirror",
      severity: "warning",
      object: { kind: "ClusterImagePolicy", name: "signed" },
      path: "spec.scopes[0]",
      value: "m.lab/quay/acme",
      message:
        '"m.lab/quay/acme" is a mirror of "quay.io/acme", whose images are not verified: policies match the name in the pod, not the mirror',
      remedy: "Add the scope quay.io/acme.",
    },
  ]);
});

test("When it is inside of a mirror, it should name the same part of the source", () => {
  const [issue, ...others] = reported({
    objects: [mirrored, aClusterImagePolicy("signed", ["m.lab/quay/acme/app:v1"])],
  });
  expect(others).toEqual([]);
  expect(issue?.remedy).toBe("Add the scope quay.io/acme/app:v1.");
});

test("When the source is a wildcard, it should name the wildcard", () => {
  const wildcard = anImageDigestMirrorSet("corp", [{ source: "*.corp.example", mirrors: ["m.lab/corp"] }]);
  expect(reported({ objects: [wildcard, aClusterImagePolicy("signed", ["m.lab/corp/app"])] })).toMatchObject([
    { remedy: "Add the scope *.corp.example." },
  ]);
});

test("When only another namespace has a policy of the source, it should report the scope", () => {
  const objects = [
    mirrored,
    anImagePolicy("a", "signed", ["m.lab/quay/acme"]),
    anImagePolicy("b", "other", ["quay.io"]),
  ];
  expect(reported({ objects })).toMatchObject([{ object: { kind: "ImagePolicy", name: "signed" } }]);
});

test.for<[name: string, input: MirrorInput]>([
  [
    "another policy has a scope around the source",
    {
      objects: [
        mirrored,
        aClusterImagePolicy("signed", ["m.lab/quay/acme"]),
        aClusterImagePolicy("other", ["quay.io"]),
      ],
    },
  ],
  ["its registry has images of its own", { objects: [mirrored, aClusterImagePolicy("signed", ["m.lab"])] }],
  [
    "images of the source are rejected",
    {
      objects: [mirrored, aClusterImagePolicy("signed", ["m.lab/quay/acme"])],
      image: anImage({ blockedRegistries: ["quay.io"] }),
    },
  ],
  [
    "images of the source are not allowed",
    {
      objects: [mirrored, aClusterImagePolicy("signed", ["m.lab/quay/acme"])],
      image: anImage({ allowedRegistries: ["m.lab"] }),
    },
  ],
])("When a policy's scope is a mirror and %s, it should report nothing", ([, input]) => {
  expect(reported(input)).toEqual([]);
});
