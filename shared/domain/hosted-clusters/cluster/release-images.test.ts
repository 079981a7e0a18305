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
  { name: "a label", labels: { "io.openshift.release": "4.20.4" }, text: list, version: "4.20.4" },
  { name: "no label", labels: {}, text: list, version: "4.20.3" },
  { name: "an empty label", labels: { "io.openshift.release": "" }, text: list, version: "4.20.3" },
  { name: "no name at all", labels: {}, text: JSON.stringify({ spec: { tags } }), version: undefined },
  {
    name: "an empty name",
    labels: {},
    text: stream({ metadata: { name: "" }, spec: { tags } }),
    version: undefined,
  },
  {
    name: "a number as its name",
    labels: {},
    text: stream({ metadata: { name: 4 }, spec: { tags } }),
    version: undefined,
  },
  { name: "no metadata", labels: {}, text: stream({ metadata: null, spec: { tags } }), version: undefined },
])("When a release image has $name, its version should be $version", ({ labels, text, version }) => {
  const images = new Map([["cli", "quay.io/ns/images@sha256:2"]]);
  expect(readReleaseContent(labels, text)).toEqual({ version, images });
});

test.for([
  { name: "there is no list", text: undefined, problem: "it has no release-manifests/image-references" },
  {
    name: "it is not JSON",
    text: "{",
    problem: "its release-manifests/image-references is not a list of images",
  },
  {
    name: "it has no tags",
    text: stream({ spec: {} }),
    problem: "its release-manifests/image-references is not a list of images",
  },
  {
    name: "its tags are not a list",
    text: stream({ spec: { tags: {} } }),
    problem: "its release-manifests/image-references is not a list of images",
  },
  {
    name: "it has no spec",
    text: stream({}),
    problem: "its release-manifests/image-references is not a list of images",
  },
  {
    name: "it is a list",
    text: "[]",
    problem: "its release-manifests/image-references is not a list of images",
  },
])("When $name, it should return the problem", ({ text, problem }) => {
  expect(readReleaseContent({}, text)).toEqual({ problem });
});
