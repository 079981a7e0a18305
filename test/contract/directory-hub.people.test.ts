import { writeFileSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { mirrorOf, mirrorSet, peopleFolder } from "../support/hub/people-folder.ts";

const { ImageDigestMirrorSet, MachineConfigPool, Event } = kinds;

const people = peopleFolder();
const { at, openHub, get, names, watch } = people;

describe("files that people write", () => {
  test("When files lie in any subfolder, it should hold their objects, several in a file", async () => {
    await mkdir(at("teams/blue"), { recursive: true });
    await mkdir(at(".git"));
    await writeFile(at("a.yaml"), `# first\n---\n${mirrorSet("a1")}---\n${mirrorSet("a2")}`);
    await writeFile(at("teams/blue/b.yml"), mirrorSet("b"));
    const item = {
      apiVersion: "config.openshift.io/v1",
      kind: "ImageDigestMirrorSet",
      metadata: { name: "c" },
    };
    await writeFile(at("teams/c.json"), JSON.stringify({ kind: "List", apiVersion: "v1", items: [item] }));
    await writeFile(at(".git/d.yaml"), mirrorSet("hidden"));
    await writeFile(at("e.txt"), mirrorSet("text"));
    await writeFile(at("elsewhere.txt"), mirrorSet("linked"));
    await symlink(at("elsewhere.txt"), at("f.yaml"));
    await symlink(at("teams"), at("circle"));
    openHub();
    expect(await names()).toEqual(["a1", "a2", "b", "c", "linked"]);
    expect(people.hub.fileOf(referenceTo(await get("b")))).toBe(at("teams/blue/b.yml"));
    expect(people.issues).toEqual([]);
  });

  test("When a file is empty for less than a second, its object should stay, as while a program writes it again", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    openHub();
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    await writeFile(at("a.yaml"), "");
    expect((await get("a")).metadata.name).toBe("a");
    vi.setSystemTime(Date.now() + 900);
    expect((await get("a")).metadata.name).toBe("a");
    vi.setSystemTime(Date.now() + 100);
    await expect.poll(names).toEqual([]);
  });

  test("When the hub is opened again, it should keep uids, statuses, ages and generations, and count versions on", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    openHub();
    await people.hub.update({ ...(await get("a")), spec: { imageDigestMirrors: [] } });
    const before = await people.hub.updateStatus({ ...(await get("a")), status: { seen: true } });
    people.hub.close();
    openHub();
    const { metadata, ...after } = await get("a");
    const { resourceVersion, ...kept } = before.metadata;
    expect({ ...after, metadata }).toMatchObject({ ...before, metadata: kept });
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
  });

  test("When files change while the hub is closed, it should report the changes when it opens", async () => {
    for (const name of ["a", "b", "c"]) await writeFile(at(`${name}.yaml`), mirrorSet(name));
    openHub();
    const before = await get("a");
    people.hub.close();
    await writeFile(at("a.yaml"), mirrorSet("a", "m2.example.com"));
    await rm(at("b.yaml"));
    await rename(at("c.yaml"), at("renamed.yaml"));
    openHub();
    expect(await names()).toEqual(["a", "c"]);
    const after = await get("a");
    expect(mirrorOf(after)).toBe("m2.example.com");
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
  });

  test("When only comments or the order of keys change, it should leave the resourceVersion", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    openHub();
    const before = await get("a");
    await writeFile(
      at("a.yaml"),
      `# a comment\nkind: ImageDigestMirrorSet\n${mirrorSet("a").replace(/kind: .*\n/, "")}`,
    );
    await writeFile(at("marker.yaml"), mirrorSet("marker"));
    await expect.poll(names).toEqual(["a", "marker"]);
    expect(await get("a")).toEqual(before);
  });

  test("When an exported manifest contains fields of its server, it should keep uid and age, not the version", async () => {
    const uid = "0d7f4c60-8a35-4d0e-9b0a-5cf7a1f3e1a7";
    const exported = mirrorSet("a").replace(
      "  name: a\n",
      `  name: a\n  uid: ${uid}\n  resourceVersion: "4711"\n  generation: 3\n  creationTimestamp: "2025-01-01T00:00:00Z"\n`,
    );
    await writeFile(at("a.yaml"), exported);
    await writeFile(at("b.yaml"), exported.replace("name: a\n", "name: b\n"));
    openHub();
    const { metadata } = await get("a");
    expect(metadata).toMatchObject({ uid, generation: 3, creationTimestamp: "2025-01-01T00:00:00Z" });
    expect(metadata.resourceVersion).not.toBe("4711");
    expect((await get("b")).metadata.uid).not.toBe(uid);
  });

  test("When the namespace is missing, or given for a cluster-scoped kind, it should be what the API makes of it", async () => {
    const event = "apiVersion: v1\nkind: Event\nmetadata: {name: a}\nreason: Started\n";
    await writeFile(at("event.yaml"), event);
    await writeFile(at("set.yaml"), mirrorSet("a").replace("  name: a\n", "  name: a\n  namespace: acme\n"));
    openHub();
    expect((await people.hub.get(Event, "a", "default"))?.metadata.namespace).toBe("default");
    expect((await get("a")).metadata.namespace).toBeUndefined();
  });
});

describe("a watch while people edit", () => {
  test("When a file is added, edited and deleted, also in a new folder, it should report each change", async () => {
    openHub();
    const running = await watch();
    writeFileSync(at("a.yaml"), mirrorSet("a"));
    await running.until("add ImageDigestMirrorSet/a");
    writeFileSync(at("a.yaml"), mirrorSet("a", "m2.example.com"));
    await running.until("update ImageDigestMirrorSet/a");
    await rm(at("a.yaml"));
    await running.until("delete ImageDigestMirrorSet/a");
    await mkdir(at("new/deeper"), { recursive: true });
    writeFileSync(at("new/deeper/b.yaml"), mirrorSet("b"));
    await running.until("add ImageDigestMirrorSet/b");
    expect(running.seen).toEqual([
      "synced",
      "add ImageDigestMirrorSet/a",
      "update ImageDigestMirrorSet/a",
      "delete ImageDigestMirrorSet/a",
      "add ImageDigestMirrorSet/b",
    ]);
  });

  /** How an editor saves a file; `pause` is called where it has written a part of it. */
  type Save = (path: string, text: string, pause: () => Promise<void>) => Promise<void>;
  const editors: readonly { name: string; save: Save }[] = [
    { name: "writes in place", save: async (path, text) => writeFileSync(path, text) },
    {
      name: "writes in place, slowly",
      async save(path, text, pause) {
        const file = await open(path, "w");
        await pause();
        const [first = "", second = ""] = text.split(/(?=---)/);
        await file.write(first);
        await pause();
        await file.write(second);
        await file.close();
      },
    },
    {
      name: "renames a new file over the old",
      async save(path, text) {
        await writeFile(at(".a.yaml.tmp"), text);
        await rename(at(".a.yaml.tmp"), path);
      },
    },
    {
      name: "moves the old file away first",
      async save(path, text, pause) {
        await rename(path, `${path}~`);
        await pause();
        await writeFile(path, text);
      },
    },
    {
      name: "deletes the file first",
      async save(path, text, pause) {
        await rm(path);
        await pause();
        await writeFile(path, text);
      },
    },
  ];

  test.for(editors)(
    "When an editor $name, it should report one update of the same object",
    async ({ save }) => {
      await writeFile(at("a.yaml"), `${mirrorSet("a")}---\n${mirrorSet("b")}`);
      openHub();
      const running = await watch();
      const before = await get("a");
      // The clock stands still while the editor saves: a busy machine may take longer for it than the hub waits.
      vi.useFakeTimers({ toFake: ["Date"] });
      try {
        await save(at("a.yaml"), `${mirrorSet("a", "m2.example.com")}---\n${mirrorSet("b")}`, async () => {
          expect(await names()).toEqual(["a", "b"]);
        });
      } finally {
        vi.useRealTimers();
      }
      await running.until("update ImageDigestMirrorSet/a");
      expect(running.seen.slice(running.seen.indexOf("synced") + 1)).toEqual([
        "update ImageDigestMirrorSet/a",
      ]);
      const after = await get("a");
      expect(mirrorOf(after)).toBe("m2.example.com");
      expect(after.metadata.uid).toBe(before.metadata.uid);
    },
  );

  test("When a file is renamed, its objects should stay the same", async () => {
    await writeFile(at("z.yaml"), mirrorSet("a"));
    openHub();
    const running = await watch();
    const before = await get("a");
    await rename(at("z.yaml"), at("b.yaml"));
    await writeFile(at("marker.yaml"), mirrorSet("marker"));
    await running.until("add ImageDigestMirrorSet/marker");
    expect(await get("a")).toEqual(before);
    expect(people.hub.fileOf(referenceTo(before))).toBe(at("b.yaml"));
    expect(running.seen.slice(2)).toEqual(["add ImageDigestMirrorSet/marker"]);
  });

  test("When a person edits right after the hub wrote, it should notice the edit though the file's metadata look the same", async () => {
    openHub();
    const running = await watch();
    const created = await people.hub.create({
      apiVersion: ImageDigestMirrorSet.apiVersion,
      kind: ImageDigestMirrorSet.kind,
      metadata: { name: "a" },
      spec: { imageDigestMirrors: [{ source: "quay.io/acme", mirrors: ["m1.example.com"] }] },
    });
    const file = people.hub.fileOf(referenceTo(created)) ?? "";
    const text = await readFile(file, "utf8");
    writeFileSync(file, text.replace("m1.", "m2.")); // same size, same inode, nearly the same time
    await running.until("update ImageDigestMirrorSet/a");
    expect(mirrorOf(await get("a"))).toBe("m2.example.com");
  });

  test("When another process writes, its changes should be reported", async () => {
    openHub();
    const running = await watch();
    const other = openDirectoryHub(people.directory);
    try {
      const { apiVersion, kind } = MachineConfigPool;
      await other.create({ apiVersion, kind, metadata: { name: "pool" }, spec: {} });
      const set = { apiVersion: ImageDigestMirrorSet.apiVersion, kind: "ImageDigestMirrorSet" };
      const created = await other.create({ ...set, metadata: { name: "a" }, spec: {} });
      await running.until("add ImageDigestMirrorSet/a");
      await other.updateStatus({ ...created, status: { seen: true } });
      await running.until("update ImageDigestMirrorSet/a");
      await other.delete({ ...set, name: "a" });
      await running.until("delete ImageDigestMirrorSet/a");
    } finally {
      other.close();
    }
  });
});
