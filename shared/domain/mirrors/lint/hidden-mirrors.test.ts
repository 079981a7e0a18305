import { expect, test } from "vitest";
import { anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";
import { type Given, issuesAbout, places } from "./fixtures.ts";

const rule = (source: string) => ({ source, mirrors: [`m.lab/${source.replaceAll(/[^a-z]/g, "")}`] });
const digest = (...sources: string[]) => anImageDigestMirrorSet("digests", sources.map(rule));
const tag = (...sources: string[]) => anImageTagMirrorSet("tags", sources.map(rule));
const unlimited = (...sources: string[]) => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ImageSourceTagPolicy",
  metadata: { name: "both" },
  spec: { repositoryTagMirrors: sources.map(rule) },
});

test("When a source with digest mirrors lies in one with tag mirrors, it should name the source whose tag mirrors are hidden", () => {
  expect(issuesAbout({ objects: [digest("a.io/ns"), tag("a.io")] })).toEqual([
    {
      code: "HidesMirrors",
      severity: "warning",
      object: { kind: "ImageDigestMirrorSet", name: "digests" },
      path: "spec.imageDigestMirrors[0].source",
      value: "a.io/ns",
      message:
        'pulls by tag of "a.io/ns" do not use the tag mirrors of "a.io", because it has mirrors of its own',
      remedy: "Add a.io/ns to an ImageTagMirrorSet, with the mirrors for pulls by tag.",
    },
  ]);
});

test("When it is the other way round, it should name the other kind", () => {
  expect(issuesAbout({ objects: [tag("x.a.io/ns"), digest("*.a.io")] })).toMatchObject([
    {
      object: { name: "tags" },
      message:
        'pulls by digest of "x.a.io/ns" do not use the digest mirrors of "*.a.io", because it has mirrors of its own',
      remedy: "Add x.a.io/ns to an ImageDigestMirrorSet, with the mirrors for pulls by digest.",
    },
  ]);
});

test("When several scopes lie around it, it should name the nearest", () => {
  expect(issuesAbout({ objects: [digest("a.io/b/c"), tag("a.io", "*.io", "a.io/b")] })).toMatchObject([
    { message: expect.stringContaining('the tag mirrors of "a.io/b"') },
  ]);
});

test("When two scopes of one length lie around it, it should name the one that the runtime would choose", () => {
  expect(issuesAbout({ objects: [digest("x.a.io/b"), tag("x.a.io", "*.a.io")] })).toMatchObject([
    { message: expect.stringContaining('the tag mirrors of "*.a.io"') },
  ]);
});

test("When sources of one object lie in different ones, each should be reported", () => {
  expect(issuesAbout({ objects: [digest("a.io/x", "b.io/y"), tag("a.io", "b.io")] })).toMatchObject([
    { value: "a.io/x" },
    { value: "b.io/y" },
  ]);
});

test("When many sources of one object lie in the same one, they should become one issue", () => {
  expect(places(issuesAbout({ objects: [digest("a.io/b", "a.io/c"), tag("a.io")] }))).toEqual([
    "HidesMirrors ImageDigestMirrorSet/digests spec.imageDigestMirrors[0].source",
  ]);
});

test("When the outer source serves both kinds of pulls, its mirrors should count for the hidden kind", () => {
  expect(places(issuesAbout({ objects: [digest("a.io/b"), unlimited("a.io")] }))).toHaveLength(1);
  expect(places(issuesAbout({ objects: [tag("a.io/b"), unlimited("a.io")] }))).toHaveLength(1);
});

test.for<Given & { name: string }>([
  { name: "both have the same kind", objects: [digest("a.io", "a.io/b")] },
  { name: "the inner one has both kinds", objects: [digest("a.io/b"), tag("a.io", "a.io/b")] },
  { name: "the inner one serves both kinds", objects: [unlimited("a.io/b"), tag("a.io"), digest("a.io")] },
  { name: "none lies in the other", objects: [digest("a.io"), tag("b.io", "a.io:5000")] },
  { name: "they are the same", objects: [digest("a.io"), tag("a.io")] },
])("When $name, it should report nothing", (given) => {
  expect(issuesAbout(given)).toEqual([]);
});
