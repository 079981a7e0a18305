import { describe, expect, test } from "vitest";
import { aMachineConfig } from "./fixtures.ts";
import { ignitionRefusals } from "./ignition-refusals.ts";

/*
 * Random configurations are compared with Ignition's own parsers in test/parity/node-files.test.ts; here are version 2, which
 * those do not read, and what a message names.
 */

const aConfig = (config: unknown) => ({ ...aMachineConfig("99-worker-x", {}), spec: { config } });
const refused = (config: unknown, newest?: "3.4.0") =>
  ignitionRefusals(aConfig(config), newest).map(({ path, problem }) => `${path}: ${problem}`);
const withFile = (version: string, file: object) => ({
  ignition: { version },
  storage: { files: [{ path: "/etc/a", ...file }] },
});

test.for<{ name: string; config: unknown }>([
  { name: "no Ignition configuration", config: undefined },
  { name: "an empty file", config: withFile("3.4.0", { mode: 0o644 }) },
  { name: "a file from elsewhere", config: withFile("3.4.0", { contents: { source: "https://a.lan/f" } }) },
  { name: "a sticky bit that a conversion removes", config: withFile("3.2.0", { mode: 0o1777 }) },
  { name: "version 2", config: withFile("2.2.0", { filesystem: "root", overwrite: true }) },
])("When a MachineConfig has $name, it should be accepted", ({ config }) => {
  expect(refused(config)).toEqual([]);
});

describe("a MachineConfig that machine-config-operator refuses", () => {
  test.for<[name: string, config: unknown, said: string, newest?: "3.4.0" | undefined]>([
    [
      "overwrite without a source",
      withFile("3.4.0", { overwrite: true, contents: {} }),
      "/etc/a: it has overwrite: true without contents.source",
    ],
    [
      "no base64",
      withFile("2.2.0", { contents: { source: "data:;base64,<CONTENT>" } }),
      "/etc/a: its source is not a valid data: URL: its data is not base64",
    ],
    ["special bits", withFile("3.4.0", { mode: 0o4755 }), "/etc/a: its mode is 04755, not 0 to 0777"],
    [
      "a newer version",
      withFile("3.5.0", {}),
      "spec.config.ignition.version: the release reads Ignition 2.0.0 to 2.2.0 and 3.0.0 to 3.4.0, not 3.5.0",
      "3.4.0",
    ],
    [
      "no version",
      {},
      "spec.config.ignition.version: the release reads Ignition 2.0.0 to 2.2.0 and 3.0.0 to 3.5.0, not a configuration without a version",
    ],
    ["a mode in quotes", withFile("3.4.0", { mode: "0644" }), "/etc/a: its mode is a string, not 0 to 0777"],
    [
      "a path twice",
      { ignition: { version: "3.4.0" }, storage: { files: [{ path: "/a" }, { path: "/a" }] } },
      "/a: the MachineConfig has its path twice",
    ],
  ])("When it has $0, it should say $2", ([, config, said, newest]) => {
    expect(refused(config, newest)).toEqual([said]);
  });
});
