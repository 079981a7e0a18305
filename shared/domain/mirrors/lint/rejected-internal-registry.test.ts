import { expect, test } from "vitest";
import { configureMirrors, type MirrorInput } from "../configuration.ts";
import { anImage, internalRegistry } from "../fixtures.ts";

const warnings = (input: Omit<MirrorInput, "objects">) =>
  configureMirrors({ objects: [], ...input }).issues.filter(
    ({ code }) => code === "InternalRegistryNotAllowed",
  );
const image = anImage({ allowedRegistries: ["quay.io"] });

test("When the allowed list lacks the cluster's own registry, it should report its host", () => {
  expect(warnings({ image })).toEqual([
    {
      code: "InternalRegistryNotAllowed",
      severity: "warning",
      object: { kind: "Image", name: "cluster" },
      path: "spec.registrySources.allowedRegistries",
      value: ["quay.io"],
      message: `nodes reject the images of the cluster's own registry, since "${internalRegistry}" is not in allowedRegistries`,
      remedy: `Add ${internalRegistry} to spec.registrySources.allowedRegistries.`,
    },
  ]);
});

test("When the status of the Image names another host, it should report that", () => {
  const moved = { ...image, status: { internalRegistryHostname: "registry.svc:5000" } };
  expect(warnings({ image: moved })).toMatchObject([
    { remedy: expect.stringContaining("registry.svc:5000") },
  ]);
});

const withCapabilities = (...enabledCapabilities: readonly string[]) => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterVersion",
  metadata: { name: "version" },
  status: { capabilities: { enabledCapabilities } },
});

test.for([
  ["the list has it", { image: anImage({ allowedRegistries: ["quay.io", internalRegistry] }) }],
  ["a wildcard has it", { image: anImage({ allowedRegistries: ["*.svc"] }) }],
  ["nothing is limited", { image: anImage({}) }],
  ["the cluster has no such registry", { image, clusterVersion: withCapabilities("Console") }],
] as const)("When %s, it should report nothing", ([, input]) => {
  expect(warnings(input)).toEqual([]);
});

test("When the capability is enabled, it should report it", () => {
  expect(warnings({ image, clusterVersion: withCapabilities("ImageRegistry") })).toHaveLength(1);
});
