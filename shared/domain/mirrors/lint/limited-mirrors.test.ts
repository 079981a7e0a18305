import { expect, test } from "vitest";
import { anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";
import { issuesAbout } from "./fixtures.ts";

const rule = { source: "quay.io/acme", mirrors: ["m.lab/a", "n.lab/a"] };
const unlimited = {
  apiVersion: "config.openshift.io/v1",
  kind: "ImageSourceTagPolicy",
  metadata: { name: "both" },
  spec: { repositoryTagMirrors: [rule] },
};
const digest = anImageDigestMirrorSet("digests", [{ ...rule, mirrors: ["n.lab/a"] }]);
const tag = anImageTagMirrorSet("tags", [{ ...rule, mirrors: ["n.lab/a"] }]);

test("When the source has the mirror for pulls by digest, it should report that pulls by tag do not use it", () => {
  expect(issuesAbout({ objects: [unlimited, digest] })).toEqual([
    {
      code: "MirrorStaysLimited",
      severity: "warning",
      object: { kind: "ImageSourceTagPolicy", name: "both" },
      path: "spec.repositoryTagMirrors[0].mirrors[1]",
      value: "n.lab/a",
      message:
        'pulls by tag do not use the mirror "n.lab/a": "quay.io/acme" has it already, for pulls by digest only',
      remedy: "Add the mirror to an ImageTagMirrorSet.",
    },
  ]);
});

test("When the source has the mirror for pulls by tag, it should report that pulls by digest do not use it", () => {
  expect(issuesAbout({ objects: [unlimited, tag] })).toMatchObject([
    {
      message:
        'pulls by digest do not use the mirror "n.lab/a": "quay.io/acme" has it already, for pulls by tag only',
      remedy: "Add the mirror to an ImageDigestMirrorSet.",
    },
  ]);
});

test("When the source has the mirror for both, or not at all, it should report nothing", () => {
  const elsewhere = anImageDigestMirrorSet("other", [{ source: "quay.io/other", mirrors: ["n.lab/a"] }]);
  expect(issuesAbout({ objects: [unlimited, digest, tag] })).toEqual([]);
  expect(issuesAbout({ objects: [unlimited, elsewhere] })).toEqual([]);
});
