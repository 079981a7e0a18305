import { expect, test } from "vitest";
import { renderMachineConfig } from "../../openshift/machine-config/machine-config.ts";
import { configureMirrors } from "../configuration.ts";
import { anImageDigestMirrorSet } from "../fixtures.ts";
import { anImagePolicy, largePolicy } from "../policies/fixtures.ts";
import { machineConfigSizeIssues, maxMachineConfigBytes } from "./machine-config-size.ts";

const pool = { kind: "MachineConfigPool", name: "worker" };

/** A MachineConfig with 100 sources of 3 mirrors, one of them with 9; each name has so many letters and a few more. */
function sized(letters: number) {
  const rules = Array.from({ length: 100 }, (_, index) => ({
    source: `registry.example.com/${"n".repeat(letters)}/${String(index).padStart(5, "0")}`,
    mirrors: Array.from(
      { length: index === 7 ? 9 : 3 },
      (_, mirror) => `mirror${mirror}.example.com/${"m".repeat(letters)}`,
    ),
  }));
  const configuration = configureMirrors({
    objects: [
      {
        apiVersion: "config.openshift.io/v1",
        kind: "ImageDigestMirrorSet",
        metadata: { name: "many" },
        spec: { imageDigestMirrors: rules },
      },
    ],
  });
  const machineConfig = renderMachineConfig({ pool: "worker", files: configuration.files });
  return { machineConfig, configuration };
}

test.for([
  { letters: 40, reported: [] },
  { letters: 2500, reported: [{ code: "MachineConfigLarge", severity: "warning" }] },
  { letters: 5000, reported: [{ code: "MachineConfigTooLarge", severity: "error" }] },
])(
  "When the names of 100 sources have $letters letters, it should report $reported",
  ({ letters, reported }) => {
    const { machineConfig, configuration } = sized(letters);
    expect(machineConfigSizeIssues(machineConfig, configuration, pool)).toMatchObject(reported);
  },
);

test("When it is too large, it should name the largest source first", () => {
  const { machineConfig, configuration } = sized(5000);
  const [issue] = machineConfigSizeIssues(machineConfig, configuration, pool);
  const source = "registry\\.example\\.com/n+/";
  const next = ["00000", "00001", "00002", "00003"].map((name) => `, ${source}${name} \\(\\d+ bytes\\)`);
  expect(issue?.remedy).toMatch(
    new RegExp(
      `^Mirror whole registries .* The largest sources: ${source}00007 \\(\\d+ bytes\\)${next.join("")}\\. The largest files: /etc/containers/registries\\.conf \\(\\d+ bytes\\)\\.$`,
    ),
  );
});

test("When policies make it too large, it should name their files, and no source", () => {
  const { scopes, policy } = largePolicy;
  const objects = ["a", "b", "b", "b"].map((namespace, index) =>
    anImagePolicy(namespace, `p${index}`, scopes, policy),
  );
  const configuration = configureMirrors(
    { objects: [...objects, anImageDigestMirrorSet("m", [{ source: "quay.io/a", mirrors: ["m.lab"] }])] },
    { isStored: true },
  );
  const machineConfig = renderMachineConfig({ pool: "worker", files: configuration.files });
  const [issue] = machineConfigSizeIssues(machineConfig, configuration, pool);
  expect(issue?.remedy.replaceAll(/\d+ bytes/g, "N bytes")).toBe(
    "List fewer scopes in image policies: one scope covers everything below it. The largest files: /etc/crio/policies/b.json (N bytes), /etc/crio/policies/a.json (N bytes), /etc/containers/registries.d/sigstore-registries.yaml (N bytes), /etc/containers/registries.conf (N bytes), /etc/containers/policy.json (N bytes).",
  );
});

test.for([
  { bytes: maxMachineConfigBytes, code: "MachineConfigLarge", percent: 100 },
  { bytes: maxMachineConfigBytes + 1, code: "MachineConfigTooLarge", percent: 100 },
  { bytes: Math.ceil(maxMachineConfigBytes * 0.9), code: "MachineConfigLarge", percent: 90 },
])("When it has $bytes bytes, it should report $code and the percentage", ({ bytes, code, percent }) => {
  const bare = renderMachineConfig({ pool: "worker", files: [], annotations: { filler: "" } });
  const missing = bytes - Buffer.byteLength(JSON.stringify(bare));
  const annotations = { filler: "x".repeat(missing) };
  const machineConfig = renderMachineConfig({ pool: "worker", files: [], annotations });
  expect(machineConfigSizeIssues(machineConfig, { files: [], entries: [] }, pool)).toMatchObject([
    {
      code,
      path: "spec.config.storage.files",
      value: bytes,
      message: `99-worker-generated-registries takes ${percent} % of the 1572864 bytes that a pool's MachineConfigs may have together.`,
    },
  ]);
});

test("When the severity is warning, it should not be an error however large it is", () => {
  const { machineConfig, configuration } = sized(5000);
  expect(machineConfigSizeIssues(machineConfig, configuration, pool, "warning")).toMatchObject([
    { severity: "warning" },
  ]);
});
