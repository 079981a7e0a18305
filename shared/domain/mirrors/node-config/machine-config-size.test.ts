import { expect, test } from "vitest";
import { renderMachineConfig } from "../../openshift/machine-config/machine-config.ts";
import { nodePaths, textFile } from "../../openshift/machine-config/node-file.ts";
import { machineConfigSizeIssues, maxMachineConfigBytes } from "./machine-config-size.ts";

const pool = { kind: "MachineConfigPool", name: "worker" };

/** A MachineConfig of exactly this size. */
function sized(bytes: number) {
  const bare = renderMachineConfig({ pool: "worker", files: [], annotations: { filler: "" } });
  const filler = "x".repeat(bytes - Buffer.byteLength(JSON.stringify(bare)));
  return renderMachineConfig({ pool: "worker", files: [], annotations: { filler } });
}

test.for([
  ["warning", maxMachineConfigBytes, "MachineConfigLarge", 100],
  ["error", maxMachineConfigBytes + 1, "MachineConfigTooLarge", 100],
  ["warning", Math.ceil(maxMachineConfigBytes * 0.9), "MachineConfigLarge", 90],
] as const)(
  "When a MachineConfig has $1 bytes, it should be a $0: $2",
  ([severity, bytes, code, percent]) => {
    expect(machineConfigSizeIssues(sized(bytes), { files: [] }, pool)).toMatchObject([
      {
        code,
        severity,
        path: "spec.config.storage.files",
        value: bytes,
        message: `99-worker-generated-registries takes ${percent} % of the 1572864 bytes that a pool's MachineConfigs may have together.`,
      },
    ]);
  },
);

test("When a MachineConfig is small, or the severity is warning, it should be no error", () => {
  expect(machineConfigSizeIssues(sized(1_000_000), { files: [] }, pool)).toEqual([]);
  const large = sized(2 * maxMachineConfigBytes);
  expect(machineConfigSizeIssues(large, { files: [] }, pool, "warning")).toMatchObject([
    { severity: "warning" },
  ]);
});

test.for([
  ["mirrors", 9, 2, "Mirror whole registries or namespaces instead of single repositories."],
  ["policies", 2, 9, "List fewer scopes in image policies: one scope covers everything below it."],
] as const)(
  "When $0 take most of the room, it should say what to change",
  ([, mirrors, policies, advice]) => {
    const files = [
      textFile(nodePaths.registriesConf, "x".repeat(mirrors)),
      textFile(nodePaths.policy, "x".repeat(policies)),
    ];
    const [issue] = machineConfigSizeIssues(sized(maxMachineConfigBytes), { files }, pool);
    expect(issue?.remedy.startsWith(`${advice} The largest files: `)).toBe(true);
    expect(issue?.remedy).toContain(`${nodePaths.policy} (${policies} bytes)`);
  },
);
