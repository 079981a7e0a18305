import { describe, expect, test } from "vitest";
import { anImage } from "../../mirrors/fixtures.ts";
import {
  generatedByAnnotation,
  isBuiltInPool,
  isMachineConfigName,
  keepConfig,
  machineConfigName,
  readMachineConfigFiles,
  renderMachineConfig,
  sameContent,
} from "./machine-config.ts";
import { namespacePolicyPath, textFile } from "./node-file.ts";

const files = [
  textFile("/etc/containers/registries.conf", "a = 1\n"),
  textFile(namespacePolicyPath("ns"), "{}"),
];
const image = anImage({});

describe("renderMachineConfig", () => {
  test("When a pool is rendered, it should have the name, label, owner and key order that MCO generates", () => {
    const annotations = { [generatedByAnnotation]: "abc" };
    const rendered = renderMachineConfig({ pool: "worker", files: [], image, annotations });
    expect(JSON.stringify(rendered)).toBe(
      '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig",' +
        '"metadata":{"name":"99-worker-generated-registries",' +
        '"labels":{"machineconfiguration.openshift.io/role":"worker"},' +
        '"annotations":{"machineconfiguration.openshift.io/generated-by-controller-version":"abc"},' +
        '"ownerReferences":[{"apiVersion":"config.openshift.io/v1","kind":"Image","name":"cluster",' +
        `"uid":"${image.metadata.uid}"}]},` +
        '"spec":{"config":{"ignition":{"version":"3.4.0"}}}}',
    );
  });

  test.for([
    { name: "there is no Image", given: {} },
    { name: "the Image has no uid", given: { image: { ...image, metadata: { name: "cluster" } } } },
  ])("When $name, it should have no owner", ({ given }) => {
    expect(renderMachineConfig({ pool: "master", files, ...given }).metadata).toEqual({
      name: machineConfigName("master"),
      labels: { "machineconfiguration.openshift.io/role": "master" },
    });
  });
});

describe("readMachineConfigFiles", () => {
  test("When a MachineConfig was rendered, it should give its files back", () => {
    expect(readMachineConfigFiles(renderMachineConfig({ pool: "worker", files, image }))).toEqual(files);
    expect(readMachineConfigFiles(renderMachineConfig({ pool: "worker", files: [] }))).toEqual([]);
  });

  const withConfig = (config: unknown) => ({
    ...renderMachineConfig({ pool: "x", files: [] }),
    spec: { config },
  });

  test.for<{ name: string; config: unknown }>([
    { name: "no config", config: undefined },
    { name: "a config of another shape", config: { storage: { files: "x" } } },
    { name: "a file of another shape", config: { storage: { files: [null, 1, {}, { path: 1 }] } } },
  ])("When a MachineConfig has $name, it should ignore it", ({ config }) => {
    expect(readMachineConfigFiles(withConfig(config))).toEqual([]);
  });

  test.for<{ name: string; file: object; mode: number }>([
    { name: "neither mode nor contents", file: {}, mode: 0o644 },
    { name: "contents without a source", file: { contents: { source: null } }, mode: 0o644 },
    { name: "a mode of another type", file: { mode: "0600" }, mode: 0o644 },
    { name: "a mode of its own", file: { mode: 0o600 }, mode: 0o600 },
  ])("When a file has $name, it should be an empty file of mode $mode", ({ file, mode }) => {
    expect(readMachineConfigFiles(withConfig({ storage: { files: [{ path: "/a", ...file }] } }))).toEqual([
      { path: "/a", mode, contents: "" },
    ]);
  });
});

describe("sameContent", () => {
  const rendered = renderMachineConfig({ pool: "worker", files, image });

  test("When only metadata, the version, and the order of keys and files differ, it should return true", () => {
    const config = { storage: { files: [] }, ignition: { version: "3.5.0" } };
    const turned = { ignition: { version: "3.5.0" }, storage: { files: [] } };
    expect(sameContent({ ...rendered, spec: { config } }, { ...rendered, spec: { config: turned } })).toBe(
      true,
    );
    expect(sameContent(rendered, renderMachineConfig({ pool: "worker", files: files.toReversed() }))).toBe(
      true,
    );
    expect(sameContent(rendered, renderMachineConfig({ pool: "worker", files, ignition: "3.5.0" }))).toBe(
      true,
    );
    expect(sameContent(rendered, renderMachineConfig({ pool: "master", files }))).toBe(true);
  });

  test.for([
    { name: "a file is missing", other: files.slice(1) },
    { name: "a mode differs", other: files.map((file) => ({ ...file, mode: 0o600 })) },
    { name: "contents differ", other: files.map((file) => ({ ...file, contents: `${file.contents} ` })) },
  ])("When $name, it should return false", ({ other }) => {
    expect(sameContent(rendered, renderMachineConfig({ pool: "worker", files: other, image }))).toBe(false);
  });

  test("When one has no spec, it should return false", () => {
    const { spec: _, ...bare } = rendered;
    expect(sameContent(rendered, bare)).toBe(false);
  });

  test("When a unit is present too, it should return false", () => {
    const config = { ...Object(rendered.spec).config, systemd: { units: [] } };
    expect(sameContent({ ...rendered, spec: { config } }, rendered)).toBe(false);
  });
});

describe("keepConfig", () => {
  const wanted = renderMachineConfig({ pool: "worker", files, image });
  const present = renderMachineConfig({ pool: "worker", files: files.toReversed(), ignition: "3.5.0" });
  const unversioned = { ...present, spec: { config: { ...Object(present.spec).config, ignition: {} } } };

  test("When nodes read the present version, it should keep what is present", () => {
    expect(keepConfig(present, wanted, "3.5.0")).toEqual({ ...wanted, spec: present.spec });
  });

  test.for([
    ["nodes do not read the present version", present, "3.4.0" as const],
    ["no version is present", unversioned, "3.5.0" as const],
    ["nothing is present", undefined, "3.5.0" as const],
    ["a file differs", renderMachineConfig({ pool: "worker", files: files.slice(1) }), "3.5.0" as const],
  ] as const)("When %s, it should return what is wanted", ([, found, newest]) => {
    expect(keepConfig(found, wanted, newest)).toBe(wanted);
  });
});

test.for([
  { labels: { "machineconfiguration.openshift.io/mco-built-in": "" }, isBuiltIn: true },
  { labels: { "pools.operator.machineconfiguration.openshift.io/infra": "" }, isBuiltIn: false },
])("When a pool has the labels $labels, it should be built in: $isBuiltIn", ({ labels, isBuiltIn }) => {
  const pool = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfigPool" };
  expect(isBuiltInPool({ ...pool, metadata: { name: "p", labels } })).toBe(isBuiltIn);
  expect(isBuiltInPool({ ...pool, metadata: { name: "p" } })).toBe(false);
});

test.for([
  { name: machineConfigName("worker"), is: true },
  { name: machineConfigName("infra.v2"), is: true },
  { name: "99--generated-registries", is: false },
  { name: "99-worker-generated-kubelet", is: false },
  { name: "a-99-worker-generated-registries", is: false },
  { name: "99-worker-generated-registries-1", is: false },
])("When a MachineConfig is named $name, it should hold mirror configuration: $is", ({ name, is }) => {
  expect(isMachineConfigName(name)).toBe(is);
});
