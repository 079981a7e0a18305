import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { aMachineConfig, dropInPath } from "./fixtures.ts";
import { readMachineConfigFiles } from "./machine-config.ts";
import { nodePaths, textFile } from "./node-file.ts";
import { generatingPool, mergeFiles, poolFiles } from "./pool-files.ts";

const { registriesConf, policy } = nodePaths;

function contentsOf({ files }: ReturnType<typeof mergeFiles>): Record<string, string> {
  return Object.fromEntries(files.map(({ path, contents, writtenBy }) => [path, `${contents} ${writtenBy}`]));
}

describe("mergeFiles", () => {
  const zipped = {
    source: `data:;base64,${gzipSync("zipped").toString("base64")}`,
    compression: "gzip",
  };

  // Recorded: what MergeMachineConfigs of machine-config-operator wrote (7ff337a4f, pkg/controller/common/helpers.go:71).
  test.for<Readonly<{ when: string; written: Record<string, string | object>; result: string }>>([
    { when: "another has a later name", written: { "99-a": "a", "99-b": "b" }, result: "b 99-b" },
    { when: "the later name is listed first", written: { "99-b": "b", "99-a": "a" }, result: "b 99-b" },
    { when: "names differ in case", written: { "99-x": "x", "99-X": "X" }, result: "x 99-x" },
    { when: "names begin with numbers", written: { "10-x": "10", "9-x": "9" }, result: "9 9-x" },
    { when: "one is of a custom pool", written: { "99-z": "z", "0-infra": "a" }, result: "a 0-infra" },
    { when: "the later has no content", written: { "a-1": "kept", "a-2": {} }, result: "kept a-1" },
    { when: "it is compressed", written: { "a-1": zipped }, result: "zipped a-1" },
    { when: "the later is plain", written: { "a-1": zipped, "a-2": "plain" }, result: "plain a-2" },
  ])("When $when, the file should be $result", ({ written, result }) => {
    const merged = mergeFiles(
      Object.entries(written).map(([name, contents]) =>
        aMachineConfig(name, { [registriesConf]: contents }, name === "0-infra" ? "infra" : "worker"),
      ),
    );
    expect(contentsOf(merged)).toEqual({ [registriesConf]: result });
  });

  test.for([
    { path: dropInPath, isRead: true },
    { path: "/etc/containers/registries.d/sigstore.yaml", isRead: true },
    { path: "/etc/crio/policies/team.json", isRead: true },
    { path: "/etc/containers/registries.conf.d/99-tags.conf.bak", isRead: false },
    { path: "/etc/containers/registries.conf.d/old/99-tags.conf", isRead: false },
    { path: "/etc/containers/storage.conf", isRead: false },
    { path: "/etc/crio/crio.conf.d/99-x.conf", isRead: true },
    // Only podman 6 reads these.
    { path: "/usr/share/containers/registries.conf.d/99-x.conf", isRead: false },
    { path: "/etc/containers/registries.rootful.conf.d/99-x.conf", isRead: false },
  ])("When it writes $path, it should be a file of the result: $isRead", ({ path, isRead }) => {
    expect(mergeFiles([aMachineConfig("1", { [path]: "x" })]).files).toHaveLength(isRead ? 1 : 0);
  });

  test("When a file cannot be read, it should be named", () => {
    const remote = aMachineConfig("1", { [policy]: { source: "https://example.com/policy.json" } });
    expect(mergeFiles([remote])).toEqual({
      files: [],
      replaced: [],
      unread: [{ machineConfig: "1", path: policy, problem: "its source is not a data: URL" }],
    });
    expect(mergeFiles([remote, aMachineConfig("2", { [policy]: "{}" })]).unread).toEqual([]);
  });
});

describe("the size of what is read", () => {
  const ofMiB = (size: number) => ({
    source: `data:;base64,${gzipSync(Buffer.alloc(size * 1024 * 1024, "#")).toString("base64")}`,
    compression: "gzip",
  });
  const problem = "with the files before it, its content has more than 4 MiB";

  test("When the files of one MachineConfig are larger together, those above the limit should not be read", () => {
    const [first, second] = [aMachineConfig("1", { [dropInPath]: ofMiB(3), [policy]: ofMiB(2) }), "2"];
    const merged = mergeFiles([first, aMachineConfig(second, { [registriesConf]: ofMiB(3) })]);
    expect(merged.files.map(({ path }) => path)).toEqual([dropInPath, registriesConf]);
    expect(merged.unread).toEqual([{ machineConfig: "1", path: policy, problem }]);
  });

  test("When a compressed file is of no use for pulls, it should not be inflated", () => {
    const other = aMachineConfig("1", { "/etc/issue": ofMiB(1), [policy]: ofMiB(1) });
    expect(readMachineConfigFiles(other).map(({ path }) => path)).toEqual([policy]);
  });
});

describe("poolFiles", () => {
  const forWorker = aMachineConfig("99-worker-x", { [dropInPath]: "worker" });
  const forMaster = aMachineConfig("99-master-x", { [dropInPath]: "master" }, "master");
  const forInfra = aMachineConfig("99-infra-x", { [dropInPath]: "infra" }, "infra");
  const all = [forWorker, forMaster, forInfra];

  test.for([
    { pool: "worker", content: "worker 99-worker-x" },
    { pool: "master", content: "master 99-master-x" },
    { pool: "infra", content: "infra 99-infra-x" },
    { pool: "gpu", content: "worker 99-worker-x" },
    { pool: "arbiter", content: undefined },
  ])("When the pool is $pool, it should merge what its role selects", ({ pool, content }) => {
    expect(contentsOf(poolFiles({ name: pool }, all))[dropInPath]).toBe(content);
  });

  test("When the pool has a selector, that should decide", () => {
    const matchExpressions = [
      { key: "machineconfiguration.openshift.io/role", operator: "In", values: ["worker"] },
    ];
    const object = {
      ...forWorker,
      kind: "MachineConfigPool",
      spec: { machineConfigSelector: { matchExpressions } },
    };
    expect(contentsOf(poolFiles({ name: "infra", object }, all))).toEqual({
      [dropInPath]: "worker 99-worker-x",
    });
  });

  test("When files are rendered, they should stand for the generated MachineConfig of the pool", () => {
    const old = aMachineConfig("99-worker-generated-registries", { [registriesConf]: "old" });
    const rendered = [textFile(registriesConf, "new")];
    expect(contentsOf(poolFiles({ name: "infra" }, [old, forWorker], rendered))).toEqual({
      [registriesConf]: "new 99-worker-generated-registries",
      [dropInPath]: "worker 99-worker-x",
    });
    expect(contentsOf(poolFiles({ name: "worker" }, [old]))).toEqual({
      [registriesConf]: "old 99-worker-generated-registries",
    });
    expect(contentsOf(poolFiles({ name: "worker" }, [old], []))).toEqual({});
    const later = aMachineConfig("99-worker-x", { [registriesConf]: "by hand" });
    expect(contentsOf(poolFiles({ name: "worker" }, [later], rendered))).toEqual({
      [registriesConf]: "by hand 99-worker-x",
    });
  });
});

test.for([
  { pool: "master", generating: "master" },
  { pool: "arbiter", generating: "arbiter" },
  { pool: "infra", generating: "worker" },
])("When the pool is $pool, the MachineConfig of $generating should be its own", ({ pool, generating }) => {
  expect(generatingPool(pool)).toBe(generating);
});
