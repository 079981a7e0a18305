import { expect, test } from "vitest";
import { renderMachineConfig } from "../machine-config/machine-config.ts";
import { configureMirrors } from "./configuration.ts";
import { largestMachineConfig, machineConfigSizeIssues } from "./machine-config-size.ts";

const pool = { kind: "MachineConfigPool", name: "worker" };

/** A MachineConfig with so many sources of about 600 bytes each, one of them with a far longer list of mirrors. */
function sized(sources: number) {
  const name = (index: number) => `registry.example.com/${"n".repeat(40)}/${String(index).padStart(5, "0")}`;
  const rules = Array.from({ length: sources }, (_, index) => ({
    source: name(index),
    mirrors: Array.from(
      { length: index === 7 ? 9 : 3 },
      (_, mirror) => `mirror${mirror}.example.com/${"m".repeat(40)}`,
    ),
  }));
  const { files, entries } = configureMirrors({
    objects: [
      {
        apiVersion: "config.openshift.io/v1",
        kind: "ImageDigestMirrorSet",
        metadata: { name: "many" },
        spec: { imageDigestMirrors: rules },
      },
    ],
  });
  return { machineConfig: renderMachineConfig({ pool: "worker", files }), entries };
}

test.for([
  { sources: 10, told: [] },
  { sources: 2000, told: [{ code: "MachineConfigLarge", severity: "warning" }] },
  { sources: 4000, told: [{ code: "MachineConfigTooLarge", severity: "error" }] },
])("When $sources sources are rendered, it should tell $told", ({ sources, told }) => {
  const { machineConfig, entries } = sized(sources);
  expect(machineConfigSizeIssues(machineConfig, entries, pool)).toMatchObject(told);
});

test("When it is too large, it should name the heaviest source first", () => {
  const { machineConfig, entries } = sized(4000);
  const [issue] = machineConfigSizeIssues(machineConfig, entries, pool);
  const source = "registry\\.example\\.com/n+/";
  const next = ["00000", "00001", "00002", "00003"].map((name) => `, ${source}${name} \\(\\d+ bytes\\)`);
  expect(issue?.remedy).toMatch(
    new RegExp(`The heaviest sources: ${source}00007 \\(\\d+ bytes\\)${next.join("")}\\.$`),
  );
});

test.for([
  { bytes: largestMachineConfig, code: "MachineConfigLarge", percent: 100 },
  { bytes: largestMachineConfig + 1, code: "MachineConfigTooLarge", percent: 100 },
  { bytes: Math.ceil(largestMachineConfig * 0.9), code: "MachineConfigLarge", percent: 90 },
])("When it has $bytes bytes, it should tell $code and how full it is", ({ bytes, code, percent }) => {
  const bare = renderMachineConfig({ pool: "worker", files: [], annotations: { filler: "" } });
  const missing = bytes - Buffer.byteLength(JSON.stringify(bare));
  const annotations = { filler: "x".repeat(missing) };
  const machineConfig = renderMachineConfig({ pool: "worker", files: [], annotations });
  expect(machineConfigSizeIssues(machineConfig, [], pool)).toMatchObject([
    {
      code,
      path: "spec.config.storage.files",
      value: bytes,
      message: `99-worker-generated-registries takes ${percent} % of the 1572864 bytes that a pool's MachineConfigs may have together.`,
    },
  ]);
});

test("When only a warning is asked for, it should not be an error however large it is", () => {
  const { machineConfig, entries } = sized(4000);
  expect(machineConfigSizeIssues(machineConfig, entries, pool, "warning")).toMatchObject([
    { severity: "warning" },
  ]);
});
