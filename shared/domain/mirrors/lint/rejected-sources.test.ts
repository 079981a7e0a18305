import { expect, test } from "vitest";
import { aClusterVersion, anImageDigestMirrorSet, payloadRepository, releaseImage } from "../fixtures.ts";
import { type Given, issuesAbout, places } from "./fixtures.ts";

const from = (source: string) => anImageDigestMirrorSet("acme", [{ source, mirrors: ["m.lab/acme"] }]);
const acme = from("quay.io/acme");
const object = { kind: "ImageDigestMirrorSet", name: "acme" };
const path = "spec.imageDigestMirrors[0].source";

test("When a source lies in a blocked scope, it should report that its mirrors do not help", () => {
  expect(issuesAbout({ objects: [acme], lists: { blockedRegistries: ["quay.io"] } })).toEqual([
    {
      code: "SourceBlocked",
      severity: "warning",
      object,
      path,
      value: "quay.io/acme",
      message: 'images of "quay.io/acme" are rejected, from mirrors too, since "quay.io" is blocked',
      remedy:
        "Remove quay.io from spec.registrySources.blockedRegistries of Image/cluster and give the rule mirrorSourcePolicy NeverContactSource, or remove the rule.",
    },
  ]);
});

test("When a source is not allowed, it should report that its mirrors do not help", () => {
  expect(issuesAbout({ objects: [acme], lists: { allowedRegistries: ["m.lab"] } })).toEqual([
    {
      code: "SourceNotAllowed",
      severity: "warning",
      object,
      path,
      value: "quay.io/acme",
      message:
        'images of "quay.io/acme" are rejected, from mirrors too, since the source is not in allowedRegistries',
      remedy:
        "Add the source, not its mirrors, to spec.registrySources.allowedRegistries of Image/cluster, or remove the rule.",
    },
  ]);
});

test.for<Given & { name: string }>([
  { name: "exactly the source is blocked", objects: [acme], lists: { blockedRegistries: ["quay.io/acme"] } },
  { name: "a wildcard around it is blocked", objects: [acme], lists: { blockedRegistries: ["*.io"] } },
])("When $name, it should be reported", (given) => {
  expect(places(issuesAbout(given))).toEqual([`SourceBlocked ImageDigestMirrorSet/acme ${path}`]);
});

const payload = anImageDigestMirrorSet("release", [
  { source: payloadRepository, mirrors: ["m.lab/release"] },
]);

test.for<Given & { name: string }>([
  {
    name: "only a part of the source is blocked",
    objects: [acme],
    lists: { blockedRegistries: ["quay.io/acme/x"] },
  },
  { name: "the source is allowed", objects: [acme], lists: { allowedRegistries: ["quay.io"] } },
  {
    name: "a part of the source is allowed",
    objects: [acme],
    lists: { allowedRegistries: ["quay.io/acme/x"] },
  },
  {
    name: "a scope that older API servers accepted is allowed",
    objects: [from("quay.io/acme/app")],
    lists: { allowedRegistries: ["m.lab", "quay.io/acme/app:v1"] },
  },
  { name: "no list says anything", objects: [acme], lists: { insecureRegistries: ["quay.io"] } },
  {
    name: "the blocked scope contains the release payload, which is accepted",
    objects: [payload],
    lists: { blockedRegistries: ["quay.io"] },
    clusterVersion: aClusterVersion(releaseImage),
  },
])("When $name, it should not be reported", (given) => {
  expect(places(issuesAbout(given)).filter((place) => place.startsWith("Source"))).toEqual([]);
});
