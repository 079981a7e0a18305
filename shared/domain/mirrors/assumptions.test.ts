import { expect, test } from "vitest";
import { aMachineConfig, dropInPath } from "../machine-config/fixtures.ts";
import { textFile } from "../machine-config/node-file.ts";
import { clusterAssumptions, nodeFileAssumptions } from "./assumptions.ts";
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

test.for<{ name: string; input: MirrorInput; isWhole?: boolean; assumed: readonly string[] }>([
  {
    name: "only mirrors",
    input: { objects: [] },
    assumed: [
      "release 5.1 from OpenShift's own repositories",
      "an empty Image",
      "pool worker",
      "no MachineConfig changes these files",
    ],
  },
  { name: "everything", input: everything, assumed: [] },
  {
    name: "a hub without Image and MachineConfigs",
    input: { objects: [pool], releaseImage: release, releaseVersion: "4.20.4" },
    isWhole: true,
    assumed: [],
  },
  {
    name: "only the generated MachineConfig",
    input: { ...everything, objects: [pool, aMachineConfig("99-worker-generated-registries", {})] },
    assumed: ["no MachineConfig changes these files"],
  },
  {
    name: "a version and no release image",
    input: { objects: everything.objects, image: anImage({}), releaseVersion: "4.20.4" },
    assumed: ["a release image from OpenShift's own repositories"],
  },
  {
    name: "a newer release",
    input: { ...everything, releaseVersion: "6.3.0" },
    assumed: ["release 5.1 instead of 6.3"],
  },
])("When the input is $name, it should assume $assumed", ({ input, isWhole = false, assumed }) => {
  const found = clusterAssumptions(input, { isWhole, pools: "pool worker" });
  expect(found.map(({ text }) => text)).toEqual(assumed);
});

const registries = textFile("/etc/containers/registries.conf", "");
test.for([
  { files: [registries], isWhole: false, assumed: ["no /etc/containers/policy.json"] },
  { files: [registries], isWhole: true, assumed: [] },
  {
    files: [textFile(dropInPath, "")],
    isWhole: true,
    assumed: ["no /etc/containers/registries.conf", "no /etc/containers/policy.json"],
  },
])(
  "When a node has $files.0.path, and isWhole is $isWhole, it should assume $assumed",
  ({ files, isWhole, assumed }) => {
    expect(nodeFileAssumptions(files, isWhole).map(({ text }) => text)).toEqual(assumed);
  },
);
