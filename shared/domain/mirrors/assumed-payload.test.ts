import { expect, test } from "vitest";
import { assumedPayload } from "./assumed-payload.ts";
import type { MirrorInput } from "./configuration.ts";
import { anImage } from "./fixtures.ts";

type Lists = Parameters<typeof anImage>[0];

const reported = (lists: Lists, input: Partial<MirrorInput> = {}) =>
  assumedPayload({ objects: [], image: anImage(lists), ...input });

const openshift = "quay.io/openshift-release-dev";

test("When the release is not known and its usual repositories are not allowed, it should say so", () => {
  expect(reported({ allowedRegistries: ["m.lab", `${openshift}/ocp-release`] })).toEqual([
    {
      code: "AssumedPayloadRejected",
      severity: "warning",
      object: { kind: "Image", name: "cluster" },
      path: "spec.registrySources.allowedRegistries",
      value: ["m.lab", `${openshift}/ocp-release`],
      message: `the release is not known; if it is one of OpenShift 4, nodes reject its images in "${openshift}/ocp-v4.0-art-dev", from mirrors too, since they are not allowed`,
      remedy: `Add ${openshift}/ocp-v4.0-art-dev, or a scope around each, to spec.registrySources.allowedRegistries. If the release is in other repositories, add the ClusterVersion to what is checked, or give --release-image.`,
    },
  ]);
});

test("When only the version is known, the repositories of its major version should count too", () => {
  const [issue] = reported({ allowedRegistries: ["quay.io"] }, { releaseVersion: "5.1.0" });
  expect(issue?.message).toContain(
    'if it is one of OpenShift 5, nodes reject its images in "registry.redhat.io/openshift5", ',
  );
  expect(reported({ allowedRegistries: ["quay.io"] }, { releaseVersion: "4.20.1" })).toEqual([]);
});

test("When they are blocked, it should name the scope", () => {
  expect(reported({ blockedRegistries: ["docker.io", "quay.io"] })).toMatchObject([
    {
      path: "spec.registrySources.blockedRegistries[1]",
      value: "quay.io",
      message: `the release is not known; if it is one of OpenShift 4, nodes reject its images in "${openshift}/ocp-release", "${openshift}/ocp-v4.0-art-dev", from mirrors too, since "quay.io" is blocked`,
      remedy: expect.stringMatching(/^Remove quay\.io from spec\.registrySources\.blockedRegistries\. /),
    },
  ]);
});

test.for<{ name: string; lists: Lists; input?: Partial<MirrorInput> }>([
  { name: "they are allowed", lists: { allowedRegistries: [openshift] } },
  { name: "others are blocked", lists: { blockedRegistries: ["docker.io"] } },
  { name: "nothing is listed", lists: {} },
  {
    name: "another release is known",
    lists: { allowedRegistries: ["m.lab"] },
    input: { releaseImage: `m.lab/ocp/release@sha256:${"a".repeat(64)}` },
  },
])("When $name, it should report nothing", ({ lists, input }) => {
  expect(reported(lists, input)).toEqual([]);
});
