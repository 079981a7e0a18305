import { describe, expect, test } from "vitest";
import { operatorForm } from "../releases/machine-config-operator.ts";
import { aMachineConfig } from "./fixtures.ts";
import { ignitionRefusals } from "./ignition-refusals.ts";

/*
 * Random configurations are compared with Ignition's own parsers in test/parity/node-files.test.ts. These cases are recorded:
 * what IgnParseWrapper and ValidateIgnition of machine-config-operator did (7ff337a4f, pkg/controller/common/helpers.go:354 and
 * :612), version 2 too, which those parsers do not read.
 */

const aConfig = (config: unknown) => ({ ...aMachineConfig("99-worker-x", {}), spec: { config } });
const refused = (config: unknown, minor = 22) =>
  ignitionRefusals(aConfig(config), operatorForm({ major: 4, minor })).map(
    ({ path, problem }) => `${path}: ${problem}`,
  );
const withFile = (version: string, file: object) => ({
  ignition: { version },
  storage: { files: [{ path: "/etc/a", ...file }] },
});

test.for<{ name: string; config: unknown }>([
  { name: "no Ignition configuration", config: undefined },
  { name: "an empty file", config: withFile("3.4.0", { mode: 0o644 }) },
  { name: "a file from elsewhere", config: withFile("3.4.0", { contents: { source: "https://a.lan/f" } }) },
  { name: "version 2", config: withFile("2.2.0", { filesystem: "root", overwrite: true }) },
  { name: "version 2.1", config: withFile("2.1.0", { contents: { source: "data:,a" } }) },
  {
    name: "a path twice in version 2",
    config: { ignition: { version: "2.2.0" }, storage: { files: [{ path: "/a" }, { path: "/a" }] } },
  },
  // Ignition removes the bit.
  { name: "a sticky bit before version 3.4", config: withFile("3.2.0", { mode: 0o1777 }) },
])("When a MachineConfig has $name, it should be accepted", ({ config }) => {
  expect(refused(config)).toEqual([]);
});

describe("a MachineConfig that machine-config-operator refuses", () => {
  test.for<[name: string, config: unknown, said: string, minor?: number]>([
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
    ["special bits in 2", withFile("2.2.0", { mode: 0o1777 }), "/etc/a: its mode is 01777, not 0 to 0777"],
    [
      "a version 2 that is not converted",
      withFile("2.3.0", {}),
      "spec.config.ignition.version: the release reads Ignition 2.0.0 to 2.2.0 and 3.0.0 to 3.5.0, not 2.3.0",
    ],
    [
      "a character that must be escaped",
      withFile("2.0.0", { contents: { source: "data:,[a]" } }),
      '/etc/a: its source is not a valid data: URL: its data has the character "[", which must be percent-encoded',
    ],
    [
      "special bits before 3.4",
      withFile("3.2.0", { mode: 0o1777 }),
      "/etc/a: its mode is 01777, not 0 to 0777",
      23,
    ],
    ["special bits", withFile("3.4.0", { mode: 0o4755 }), "/etc/a: its mode is 04755, not 0 to 0777"],
    [
      "a newer version",
      withFile("3.5.0", {}),
      "spec.config.ignition.version: the release reads Ignition 2.0.0 to 2.2.0 and 3.0.0 to 3.4.0, not 3.5.0",
      18,
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
  ])("When it has $0, it should say $2", ([, config, said, minor]) => {
    expect(refused(config, minor)).toEqual([said]);
  });
});
