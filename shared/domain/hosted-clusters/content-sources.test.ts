import { expect, test } from "vitest";
import { anImageDigestMirrorSet, anImageTagMirrorSet } from "../mirrors/fixtures.ts";
import { contentSourcesAnnotation, deriveContentSources } from "./content-sources.ts";
import { aReadHostedCluster } from "./fixtures.ts";
import { readManagementMirrors } from "./overrides/management-mirrors.ts";

const release = "quay.io/openshift-release-dev/ocp-release";
const images = "quay.io/openshift-release-dev/ocp-v4.0-art-dev";
type Rules = readonly Readonly<{ source: string; mirrors: readonly string[] }>[];

/** The result for a cluster with this choice, from digest rules and tag rules. */
function derived(choice: string | undefined, digests: Rules, tags: Rules = []) {
  const annotations = choice === undefined ? {} : { [contentSourcesAnnotation]: choice };
  const objects = [anImageDigestMirrorSet("d", digests), anImageTagMirrorSet("t", tags)];
  return deriveContentSources(aReadHostedCluster({ annotations }), readManagementMirrors(objects));
}

const digests = [
  { source: release, mirrors: ["z.lan/release", "a.lan/release"] },
  { source: images, mirrors: ["a.lan/images", "both.lan/images"] },
  { source: "docker.io", mirrors: ["d.lan"] },
];
const tags = [
  { source: images, mirrors: ["both.lan/images", "t.lan/images"] },
  { source: "registry.redhat.io/redhat", mirrors: ["t.lan/olm"] },
];
const ofRelease = [
  { source: release, mirrors: ["z.lan/release", "a.lan/release"] },
  { source: images, mirrors: ["a.lan/images", "both.lan/images"] },
];

test.for([
  { choice: "release", sources: ofRelease },
  { choice: "all", sources: [{ source: "docker.io", mirrors: ["d.lan"] }, ...ofRelease] },
  { choice: undefined, sources: undefined },
])("When $choice is requested, the nodes should have the mirrors by digest of $sources", (one) => {
  expect(derived(one.choice, digests, tags)).toEqual({ sources: one.sources, issues: [] });
});

const foreign = { release: { image: "reg.lan/own/release:4.20.4" } };
const everySource = [
  { source: "docker.io", mirrors: ["d.lan"] },
  { source: release, mirrors: ["z.lan/release", "a.lan/release"] },
  { source: images, mirrors: ["a.lan/images", "both.lan/images"] },
];

test.for([
  ["is read", [images], [], ofRelease.slice(1)],
  ["is read, and the nodes have others", [images], ["docker.io"], ofRelease.slice(1)],
  ["cannot be read, and the nodes have none", undefined, [], everySource],
  ["cannot be read, and the nodes have some", undefined, [images, "gone.lan"], ofRelease.slice(1)],
] as const)(
  "When another publisher's release $0, the nodes should have $3",
  ([, repositories, present, sources]) => {
    const cluster = aReadHostedCluster({
      annotations: { [contentSourcesAnnotation]: "release" },
      spec: { ...foreign, imageContentSources: present.map((source) => ({ source, mirrors: ["old.lan"] })) },
    });
    const mirrors = readManagementMirrors([anImageDigestMirrorSet("d", digests)]);
    expect(deriveContentSources(cluster, mirrors, repositories)).toEqual({ sources, issues: [] });
  },
);

test("When there are no mirrors, the nodes should have none", () => {
  expect(derived("all", [])).toEqual({ sources: [], issues: [] });
});

const about = {
  severity: "error",
  object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
  path: 'metadata.annotations["hubrelay.dev/image-content-sources"]',
};
const tooMany = {
  code: "TooManyContentSources",
  remedy: "Write spec.imageContentSources by hand and remove the annotation, or mirror whole registries.",
  ...about,
};
const many = (count: number) => Array.from({ length: count }, (_, index) => `m${index}.lan`);
const ofLength = (length: number) => `m.lan/${"a".repeat(length - "m.lan/".length)}`;

test.for([
  {
    name: "the annotation is invalid",
    given: derived("yes", digests),
    issue: {
      code: "InvalidAnnotation",
      value: "yes",
      message: "hubrelay.dev/image-content-sources is yes, which is not a valid value",
      remedy: "Write release or all, or remove the annotation.",
      ...about,
    },
  },
  {
    name: "a source has more mirrors than the API allows",
    given: derived("all", [
      { source: "a.io", mirrors: ["m.lan"] },
      { source: "b.io", mirrors: many(256) },
    ]),
    issue: {
      value: "b.io",
      message: "The mirrors of b.io exceed the limits of spec.imageContentSources",
      ...tooMany,
    },
  },
  {
    name: "there are more sources than the API allows",
    given: derived(
      "all",
      many(256).map((source) => ({ source, mirrors: ["n.lan"] })),
    ),
    issue: {
      value: 256,
      message: "The management cluster has mirrors for 256 sources, and spec.imageContentSources allows 255",
      ...tooMany,
    },
  },
])("When $name, it should write nothing and report why", ({ given, issue }) => {
  expect(given).toEqual({ sources: undefined, issues: [issue] });
});

test("When mirrors just fit into the field, they should be written", () => {
  const fullest = { source: "m0.lan", mirrors: [ofLength(255), ...many(255).slice(1)] };
  const rules = [
    fullest,
    ...many(255)
      .slice(1)
      .map((source) => ({ source, mirrors: ["n.lan"] })),
  ];
  expect(derived("all", rules).sources).toHaveLength(255);
});
