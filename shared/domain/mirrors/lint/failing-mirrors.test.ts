import { expect, test } from "vitest";
import { tryParseImageReference } from "../../images/image-reference.ts";
import { configureMirrors } from "../configuration.ts";
import { anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";
import { resolve } from "../pull/resolve.ts";
import { issuesAbout } from "./fixtures.ts";

const source = "quay.io/acme";

test.for<[mirror: string, proper: string]>([
  ["registry/acme", "registry.example.com or registry:5000"],
  ["registry", "registry.example.com or registry:5000"],
  ["index.docker.io/acme", "docker.io"],
])("When %s is a mirror, it should report that every pull fails, as it does", ([mirror, proper]) => {
  const objects = [anImageDigestMirrorSet("acme", [{ source, mirrors: ["m.lab/acme", mirror] }])];
  expect(issuesAbout({ objects })).toEqual([
    {
      code: "MirrorBreaksPulls",
      severity: "warning",
      object: { kind: "ImageDigestMirrorSet", name: "acme" },
      path: "spec.imageDigestMirrors[0].mirrors[1]",
      value: mirror,
      message: `the mirror "${mirror}" has no full host name: every pull by digest of "quay.io/acme" fails, before any mirror or the source is tried`,
      remedy: `Write the host in full, for example ${proper}.`,
    },
  ]);
  const image = tryParseImageReference(`quay.io/acme/app@sha256:${"a".repeat(64)}`);
  const { candidates } = resolve(configureMirrors({ objects }).entries, image ?? { repository: "" });
  expect(candidates.filter(({ taken }) => taken)).toEqual([]);
});

test("When the mirror serves pulls by tag or any, it should say so", () => {
  const rules = [{ source, mirrors: ["registry/acme"] }];
  const unlimited = {
    apiVersion: "config.openshift.io/v1",
    kind: "ImageSourceTagPolicy",
    metadata: { name: "acme" },
    spec: { repositoryTagMirrors: rules },
  };
  expect(issuesAbout({ objects: [anImageTagMirrorSet("acme", rules)] })).toMatchObject([
    { message: expect.stringContaining(": every pull by tag of ") },
  ]);
  expect(issuesAbout({ objects: [unlimited] })).toMatchObject([
    { message: expect.stringContaining(": every pull of ") },
  ]);
});

test.for(["registry:5000/acme", "localhost/acme", "m.lab", "docker.io/acme", source])(
  "When %s is a mirror, it should report nothing",
  (mirror) => {
    const rules = [{ source, mirrors: [mirror, "m.lab/a"] }];
    expect(issuesAbout({ objects: [anImageDigestMirrorSet("acme", rules)] })).toEqual([]);
  },
);

test("When a source without a full host is its own mirror, only its name should be reported", () => {
  const rules = [{ source: "team/app", mirrors: ["team/app", "m.lab/a"] }];
  const objects = [anImageDigestMirrorSet("acme", rules)];
  expect(issuesAbout({ objects }).map(({ code }) => code)).toEqual(["NeverMatches"]);
});
