import { expect, test } from "vitest";
import { configureMirrors, type MirrorInput } from "../configuration.ts";
import { anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";

const reported = (input: MirrorInput) =>
  configureMirrors(input).issues.filter(({ code }) => code === "PullsWithoutLocation");

const closed = { source: "quay.io", mirrors: ["m.lab/q"], mirrorSourcePolicy: "NeverContactSource" };
const open = { ...closed, mirrorSourcePolicy: "AllowContactingSource" };

test("When a closed source has mirrors for digests only, it should report that pulls by tag fail", () => {
  expect(reported({ objects: [anImageDigestMirrorSet("a", [closed])] })).toEqual([
    {
      code: "PullsWithoutLocation",
      severity: "warning",
      object: { kind: "ImageDigestMirrorSet", name: "a" },
      path: "spec.imageDigestMirrors[0].mirrorSourcePolicy",
      value: "NeverContactSource",
      message:
        'no node can pull images of "quay.io" by tag: no mirror serves pulls by tag, and the source must not be contacted',
      remedy:
        "Add mirrors of quay.io to an ImageTagMirrorSet, or allow contacting the source. If its images are not pulled by tag, nothing needs to change.",
    },
  ]);
});

test("When a closed source has mirrors for tags only, it should report that pulls by digest fail", () => {
  expect(reported({ objects: [anImageTagMirrorSet("a", [closed])] })).toMatchObject([
    {
      object: { kind: "ImageTagMirrorSet" },
      path: "spec.imageTagMirrors[0].mirrorSourcePolicy",
      message: expect.stringContaining('of "quay.io" by digest: no mirror serves pulls by digest'),
    },
  ]);
});

test.for<{ name: string; input: MirrorInput }>([
  { name: "it may be contacted", input: { objects: [anImageDigestMirrorSet("a", [open])] } },
  {
    name: "another object has mirrors for the other pulls",
    input: { objects: [anImageDigestMirrorSet("a", [closed]), anImageTagMirrorSet("a", [closed])] },
  },
  {
    name: "it is the repository of the release, which is pulled by digest",
    input: {
      objects: [anImageDigestMirrorSet("a", [{ ...closed, source: "quay.io/ocp/release" }])],
      releaseImage: `quay.io/ocp/release@sha256:${"a".repeat(64)}`,
    },
  },
  {
    name: "OpenShift's releases of the version that is given are in it",
    input: {
      objects: [anImageDigestMirrorSet("a", [{ ...closed, source: "registry.redhat.io/openshift5" }])],
      releaseVersion: "5.1.0",
    },
  },
])("When a source has mirrors for digests and $name, it should report nothing", ({ input }) => {
  expect(reported(input)).toEqual([]);
});
