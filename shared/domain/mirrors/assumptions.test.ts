import { expect, test } from "vitest";
import { aMachineConfig, dropInPath } from "../openshift/machine-config/fixtures.ts";
import { assumedPayload, clusterAssumptions } from "./assumptions.ts";
import type { MirrorInput } from "./configuration.ts";
import { anImage } from "./fixtures.ts";

const release = "quay.io/openshift-release-dev/ocp-release:4.20.4-multi";
const pool = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "worker" },
};
const everything: MirrorInput = {
  objects: [pool, aMachineConfig("99-worker-x", { [dropInPath]: "" })],
  image: anImage({}),
  releaseImage: release,
  releaseVersion: "4.20.4",
};

test.for<[name: string, input: MirrorInput, assumed: readonly string[], isWhole?: boolean | undefined]>([
  [
    "only mirrors",
    { objects: [] },
    [
      "release 5.1 from OpenShift's own repositories, without the signature policy of its payload",
      "an empty Image",
      "pool worker",
      "no MachineConfig changes these files",
    ],
  ],
  ["everything", everything, []],
  ["a hub without an Image", { objects: [pool], releaseImage: release, releaseVersion: "4.20.4" }, [], true],
  [
    "only the generated MachineConfig",
    { ...everything, objects: [pool, aMachineConfig("99-worker-generated-registries", {})] },
    ["no MachineConfig changes these files"],
  ],
  [
    "a version and no release image",
    { objects: everything.objects, image: anImage({}), releaseVersion: "4.20.4" },
    ["a release image from OpenShift's own repositories"],
  ],
  ["a newer release", { ...everything, releaseVersion: "6.3.0" }, ["release 5.1 instead of 6.3"]],
])("When the input is $0, it should assume $2", ([, input, assumed, isWhole = false]) => {
  const found = clusterAssumptions(input, { isWhole, pools: "pool worker" });
  expect(found.map(({ text }) => text)).toEqual(assumed);
});

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
