import { expect, test } from "vitest";
import { renderMachineConfig } from "../openshift/machine-config/machine-config.ts";
import { nodePaths, textFile } from "../openshift/machine-config/node-file.ts";
import { machineConfigSizeIssues, maxMachineConfigBytes, withPresentTexts } from "./written-files.ts";

const policy = (...scopes: readonly string[]) =>
  JSON.stringify({ transports: { docker: { "q.io": scopes.map((type) => ({ type })) } } });

const conf = `short-name-mode = ""\nadditional-layer-store-auth-helper = ""\n\n[[registry]]\n  location = "b.io"\n`;

test.for([
  ["requirements are in another order", nodePaths.policy, policy("b", "a"), true],
  ["a requirement differs", nodePaths.policy, policy("b", "c"), false],
  ["the present policy is no JSON", nodePaths.policy, "{", false],
  [
    "another release wrote registries.conf",
    nodePaths.registriesConf,
    conf.replace('additional-layer-store-auth-helper = ""\n', ""),
    true,
  ],
  ["registries.conf has another entry", nodePaths.registriesConf, conf.replace("b.io", "c.io"), false],
] as const)("When $0, the present text should be kept: $3", ([, path, present, kept]) => {
  const rendered = textFile(path, path === nodePaths.policy ? policy("a", "b") : conf);
  const found = textFile(path, present);
  expect(withPresentTexts([rendered], [found])).toEqual([kept ? found : rendered]);
  expect(withPresentTexts([rendered], [{ ...found, mode: 0o600 }])).toEqual([rendered]);
});

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
    expect(machineConfigSizeIssues(sized(bytes), pool)).toMatchObject([
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
  expect(machineConfigSizeIssues(sized(1_000_000), pool)).toEqual([]);
  const large = sized(2 * maxMachineConfigBytes);
  expect(machineConfigSizeIssues(large, pool, "warning")).toMatchObject([{ severity: "warning" }]);
});
