import fc from "fast-check";
import { expect, test } from "vitest";
import { emptySpec, revisionOf } from "./precaching-spec.ts";

const spec = {
  ...emptySpec,
  platformImage: `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`,
  operatorsIndexes: ["registry.example.com/redhat-operators:v4.20"],
  operatorsPackagesAndChannels: ["ptp-operator:stable", "sriov-network-operator:stable"],
  excludePrecachePatterns: ["aws", "vsphere"],
  additionalImages: ["quay.io/acme/a@sha256:1", "quay.io/acme/b@sha256:2"],
  spaceRequired: "35",
};
const workloadImage = "quay.io/hubrelay/precache@sha256:3";
const revision = revisionOf({ spec, workloadImage });

test.for([
  { what: "another release", changed: { platformImage: "quay.io/other@sha256:1" } },
  { what: "another index", changed: { operatorsIndexes: ["registry.example.com/other:v4.20"] } },
  { what: "another channel", changed: { operatorsPackagesAndChannels: ["ptp-operator:4.20"] } },
  {
    what: "packages in another order",
    changed: { operatorsPackagesAndChannels: spec.operatorsPackagesAndChannels.toReversed() },
  },
  { what: "another pattern", changed: { excludePrecachePatterns: ["aws"] } },
  { what: "another image", changed: { additionalImages: ["quay.io/acme/a@sha256:1"] } },
  { what: "more space", changed: { spaceRequired: "36" } },
])("When the plan has $what, it should be another revision", ({ changed }) => {
  expect(revisionOf({ spec: { ...spec, ...changed }, workloadImage })).not.toBe(revision);
});

test("When the workload is another, it should be another revision", () => {
  expect(revisionOf({ spec, workloadImage: "quay.io/hubrelay/precache@sha256:4" })).not.toBe(revision);
});

test("When images and patterns stand in any order or twice, it should be the same revision", () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...spec.additionalImages, ...spec.additionalImages], { minLength: 4 }),
      fc.shuffledSubarray([...spec.excludePrecachePatterns], { minLength: 2 }),
      (additionalImages, excludePrecachePatterns) => {
        const shuffled = { ...spec, additionalImages, excludePrecachePatterns };
        expect(revisionOf({ spec: shuffled, workloadImage })).toBe(revision);
      },
    ),
  );
});

test("When it becomes part of a name, it should be a DNS label part of ten characters", () => {
  expect(revision).toMatch(/^[0-9a-f]{10}$/);
});
