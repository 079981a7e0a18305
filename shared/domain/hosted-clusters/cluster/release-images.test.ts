import { expect, test } from "vitest";
import { readReleaseContent } from "./release-images.ts";

const stream = (fields: object) =>
  JSON.stringify({ kind: "ImageStream", metadata: { name: "4.20.3" }, ...fields });
const tags = [
  { name: "cli", from: { kind: "DockerImage", name: "quay.io/ns/images@sha256:1" } },
  { name: "broken" },
  { name: "broken", from: "quay.io/ns/images@sha256:3" },
  { name: "broken", from: { name: 3 } },
  { name: 3, from: { name: "quay.io/ns/images@sha256:3" } },
  { from: { name: "quay.io/ns/images@sha256:3" } },
  { name: "cli", from: { name: "quay.io/ns/images@sha256:2" } },
  "nothing",
];
const list = stream({ spec: { tags } });

test.for([
  ["a label", { "io.openshift.release": "4.20.4" }, list, "4.20.4"],
  ["no label", {}, list, "4.20.3"],
  ["an empty label", { "io.openshift.release": "" }, list, "4.20.3"],
  ["no name at all", {}, JSON.stringify({ spec: { tags } }), undefined],
  ["an empty name", {}, stream({ metadata: { name: "" }, spec: { tags } }), undefined],
  ["a number as its name", {}, stream({ metadata: { name: 4 }, spec: { tags } }), undefined],
  ["no metadata", {}, stream({ metadata: null, spec: { tags } }), undefined],
] as const)("When a release image has $0, its version should be $3", ([, labels, text, version]) => {
  const images = new Map([["cli", "quay.io/ns/images@sha256:2"]]);
  expect(readReleaseContent(labels, text)).toEqual({ version, images });
});

test.for([
  ["there is no list", undefined, "it has no release-manifests/image-references"],
  ["it is not JSON", "{", "its release-manifests/image-references is not a list of images"],
  ["it has no tags", stream({ spec: {} }), "its release-manifests/image-references is not a list of images"],
  [
    "its tags are not a list",
    stream({ spec: { tags: {} } }),
    "its release-manifests/image-references is not a list of images",
  ],
  ["it has no spec", stream({}), "its release-manifests/image-references is not a list of images"],
  ["it is a list", "[]", "its release-manifests/image-references is not a list of images"],
] as const)("When $0, it should return the problem", ([, text, problem]) => {
  expect(readReleaseContent({}, text)).toEqual({ problem });
});
