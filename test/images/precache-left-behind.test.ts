import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect } from "vitest";
import { hostPaths } from "#shared/domain/precache-start/work/workload-contract.ts";
import { makeWorkloadNode, type Running, type WorkloadNode } from "./support/node/workload.ts";
import { anApplication, lines } from "./support/registries/content.ts";
import { test } from "./support/test.ts";

/** The node's folders that the Job mounts writable; anything that is left behind is in one of them. */
const writable = hostPaths.filter(({ writable }) => writable).map(({ path }) => path);
/** The folders that the Job must not change. */
const readOnly = ["/etc", "/home"];

async function filesBelow(node: WorkloadNode, folders: readonly string[]): Promise<readonly string[]> {
  const root = node.pathOf("/");
  const found = folders.map(async (folder) => {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => `/${relative(root, join(entry.parentPath, entry.name))}`);
  });
  return (await Promise.all(found)).flat().sort();
}

/** Image storage, and the files that podman itself keeps beside it. */
const isStorage = (file: string) =>
  /^\/var\/lib\/containers\/(storage\/|cache\/blob-info-cache-v1\.(boltdb|sqlite(-journal)?)$)/.test(file) ||
  /^\/run\/containers\/storage\//.test(file);

const mountsBelow = async (folder: string) =>
  (await readFile("/proc/self/mounts", "utf8")).split("\n").filter((line) => line.includes(folder));

test("When a run has pulled first, the node's own podman should still choose netavark", async ({ lab }) => {
  const node = await makeWorkloadNode(lab);
  const { code, log } = await node.run({ additionalImages: lines(await anApplication(lab, 1)) });
  expect(code, log).toBe(0);
  const { stdout, stderr } = await node.bare("podman", ["info", "--format", "{{.Host.NetworkBackend}}"]);
  expect(stdout.trim(), stderr).toBe("netavark");
});

describe("what a run leaves behind", () => {
  const ends: readonly Readonly<{
    how: string;
    end: (running: Running) => Promise<void>;
    code: number | null;
  }>[] = [
    { how: "completes", end: async () => undefined, code: 0 },
    { how: "is suspended", end: (running) => running.stop(), code: 143 },
    { how: "is killed without grace", end: async (running) => running.kill("SIGKILL"), code: null },
  ];

  test.for(ends)(
    "When a run $how, only images should be left on the node",
    async ({ end, code }, { lab }) => {
      const node = await makeWorkloadNode(lab);
      const images = await anApplication(lab, 8);
      const before = await filesBelow(node, readOnly);
      const running = await node.start({ additionalImages: lines(images) }, { PULL_PARALLEL: "2" });
      await running.logged("on the node: ", 2);
      await end(running);
      const ended = await running.ended;
      expect(ended.code, ended.log).toBe(code);

      const left = await filesBelow(node, writable);
      expect(left.filter((file) => !isStorage(file))).toEqual([]);
      expect(await filesBelow(node, readOnly)).toEqual(before);
      expect(await mountsBelow(node.pathOf("/"))).toEqual([]);

      expect(images).toEqual(expect.arrayContaining([...(await node.images())]));
      const { stdout } = await node.bare("podman", ["ps", "--all", "--external", "--quiet"]);
      expect(stdout).toBe("");
    },
  );
});
