import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";

const { ImageDigestMirrorSet } = kinds;

let directory = "";
beforeEach(async () => {
  directory = await temporaryFolder();
});

function start(child: string, ...args: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
  const script = fileURLToPath(new URL(`../support/hub/${child}`, import.meta.url));
  return spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
}

/** Kills a process `delayMs` after it has printed its second line: in the middle of its loop. */
async function killLater(
  process: ChildProcessByStdio<Writable, Readable, null>,
  delayMs: number,
): Promise<void> {
  for (let line = 0; line < 2; line++) await once(process.stdout, "data");
  await new Promise((moment) => setTimeout(moment, delayMs));
  const killed = once(process, "exit");
  process.kill("SIGKILL");
  await killed;
}

/** Lists all files below the directory, hidden ones too, with this suffix. */
async function filesNamed(ending: string): Promise<readonly string[]> {
  return (await readdir(directory, { recursive: true })).filter((name) => name.endsWith(ending));
}

async function createSet(annotations: Readonly<Record<string, string>>): Promise<void> {
  const hub = openDirectoryHub(directory);
  const { apiVersion, kind } = ImageDigestMirrorSet;
  await hub.create({ apiVersion, kind, metadata: { name: "acme", annotations }, spec: {} });
  hub.close();
}

test("When two processes raise one counter, they should meet conflicts and lose no increment", async () => {
  await createSet({ count: "0" });
  let conflicts = 0;
  let rounds = 0;
  // On a busy machine one process may be done before the other one runs, and nothing would be tested.
  while (conflicts === 0) {
    rounds++;
    const processes = [1, 2].map(() => start("hub-child.ts", directory, "count", "acme", "100"));
    await Promise.all(processes.map(({ stdout }) => once(stdout, "data")));
    const lost = processes.map(({ stdin, stdout }) => {
      stdin.write("go\n");
      return text(stdout);
    });
    for (const count of await Promise.all(lost)) conflicts += Number(count);
  }
  const hub = openDirectoryHub(directory);
  const counted = await hub.get(ImageDigestMirrorSet, "acme");
  hub.close();
  expect(counted?.metadata.annotations).toEqual({ count: String(200 * rounds) });
  expect(counted?.metadata.generation).toBe(1);
});

test("When a hub's process is killed again and again, the next one should continue at once", async () => {
  await createSet({});
  let version = 0;
  for (let kill = 1; kill <= 6; kill++) {
    await killLater(start("hub-child.ts", directory, "rewrite", "acme"), kill);
    for (const file of await filesNamed(".yaml")) {
      const { objects, issues } = readManifests(await readFile(join(directory, file), "utf8"), file);
      expect([objects.length, issues]).toEqual([1, []]);
    }
    const hub = openDirectoryHub(directory);
    const object = await hub.get(ImageDigestMirrorSet, "acme");
    if (!object) throw new Error("the object is gone");
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(version);
    version = Number((await hub.update({ ...object, spec: { kill } })).metadata.resourceVersion);
    expect(await filesNamed(".tmp")).toEqual([]);
    hub.close();
  }
});

test("When a write is killed in the middle, the file should be the old one or the new one, never a part", async () => {
  const file = join(directory, "a.yaml");
  let leftovers = 0;
  // Until a kill came in the middle: otherwise nothing is tested.
  for (let kill = 1; kill <= 5 || leftovers === 0; kill++) {
    await killLater(start("write-child.ts", file), kill * 7);
    const [first, ...rest] = (await readFile(file, "latin1")).split("\n");
    expect([rest.at(-1), rest.at(-2), rest.length]).toEqual(["", first, 200_001]);
    leftovers += (await filesNamed(".tmp")).length;
  }
});
