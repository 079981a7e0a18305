import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DirectoryHub, openDirectoryHub } from "#shared/adapters/directory-hub.ts";
import type { Issue } from "#shared/domain/issue.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import { watching } from "../support/watching.ts";

const { ImageDigestMirrorSet, MachineConfigPool, ClusterVersion, Event } = kinds;

const mirrorSet = (name: string, mirror = "m1.example.com") => `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: ${name}
spec:
  imageDigestMirrors:
  - source: quay.io/acme # the vendor
    mirrors: [${mirror}]
`;
const broken = "apiVersion: config.openshift.io/v1\nkind: [\n";

let directory = "";
let hub: DirectoryHub;
let issues: Issue[] = [];
let stop = new AbortController();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "hubrelay-people-"));
  issues = [];
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  hub.close();
  await rm(directory, { recursive: true });
});

const at = (path: string) => join(directory, path);
const openHub = () => {
  hub = openDirectoryHub(directory, { onIssue: (issue) => issues.push(issue) });
  return hub;
};
const mirrorOf = ({ spec }: KubernetesObject): string =>
  /m\d+\.example\.com/.exec(JSON.stringify(spec))?.[0] ?? "";

async function get(name: string): Promise<KubernetesObject> {
  const object = await hub.get(ImageDigestMirrorSet, name);
  if (!object) throw new Error(`${name} is not there`);
  return object;
}

async function names(): Promise<readonly string[]> {
  return (await hub.list(ImageDigestMirrorSet)).map(({ metadata }) => metadata.name);
}

/** A watch that has told all that was there. */
async function watch() {
  const running = watching(hub, [ImageDigestMirrorSet], stop.signal, "");
  await running.until("synced");
  return running;
}

describe("files that people write", () => {
  test("When files lie anywhere below, it should hold their objects, several to a file", async () => {
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
    expect(hub.fileOf(referenceTo(await get("b")))).toBe(at("teams/blue/b.yml"));
    expect(issues).toEqual([]);
  });

  test("When the hub is opened again, it should know every object by its uid and version", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    openHub();
    const before = await get("a");
    hub.close();
    openHub();
    expect(await get("a")).toEqual(before);
  });

  test("When files change while the hub is closed, it should tell at once what they hold now", async () => {
    for (const name of ["a", "b", "c"]) await writeFile(at(`${name}.yaml`), mirrorSet(name));
    openHub();
    const before = await get("a");
    hub.close();
    await writeFile(at("a.yaml"), mirrorSet("a", "m2.example.com"));
    await rm(at("b.yaml"));
    await rename(at("c.yaml"), at("renamed.yaml"));
    openHub();
    expect(await names()).toEqual(["a", "c"]);
    const after = await get("a");
    expect(mirrorOf(after)).toBe("m2.example.com");
    expect(after.metadata).toMatchObject({ uid: before.metadata.uid ?? "", generation: 2 });
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
  });

  test("When a file is edited, added and deleted, reads should answer what it says then", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    openHub();
    const before = await get("a");
    await writeFile(at("a.yaml"), mirrorSet("a", "m2.example.com"));
    expect(mirrorOf(await get("a"))).toBe("m2.example.com");
    expect((await get("a")).metadata.uid).toBe(before.metadata.uid);
    await writeFile(at("b.yaml"), mirrorSet("b"));
    expect(await names()).toEqual(["a", "b"]);
    await rm(at("a.yaml"));
    expect(await hub.get(ImageDigestMirrorSet, "a")).toBeUndefined();
    expect(await names()).toEqual(["b"]);
  });

  test("When only comments or the order of keys change, it should leave the resourceVersion", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    openHub();
    const before = await get("a");
    await writeFile(
      at("a.yaml"),
      `# a comment\nkind: ImageDigestMirrorSet\n${mirrorSet("a").replace(/kind: .*\n/, "")}`,
    );
    await names();
    expect(await get("a")).toEqual(before);
  });

  test("When an exported manifest brings fields of its server, it should keep uid and age, not the version", async () => {
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

  test("When the namespace is left open, or given where there is none, it should be what the API makes of it", async () => {
    const event = "apiVersion: v1\nkind: Event\nmetadata: {name: a}\nreason: Started\n";
    await writeFile(at("event.yaml"), event);
    await writeFile(at("set.yaml"), mirrorSet("a").replace("  name: a\n", "  name: a\n  namespace: acme\n"));
    openHub();
    expect((await hub.get(Event, "a", "default"))?.metadata.namespace).toBe("default");
    expect((await get("a")).metadata.namespace).toBeUndefined();
  });
});

describe("a watch while people edit", () => {
  const within = async (milliseconds: number, wait: Promise<void>) => {
    const start = performance.now();
    await wait;
    expect(performance.now() - start).toBeLessThan(milliseconds);
  };

  test("When a file is added, edited and deleted, also in a new folder, it should tell within a second", async () => {
    openHub();
    const running = await watch();
    await writeFile(at("a.yaml"), mirrorSet("a"));
    await within(1000, running.until("add ImageDigestMirrorSet/a"));
    await writeFile(at("a.yaml"), mirrorSet("a", "m2.example.com"));
    await within(1000, running.until("update ImageDigestMirrorSet/a"));
    await rm(at("a.yaml"));
    await within(1000, running.until("delete ImageDigestMirrorSet/a"));
    await mkdir(at("new/deeper"), { recursive: true });
    await writeFile(at("new/deeper/b.yaml"), mirrorSet("b"));
    await within(1000, running.until("add ImageDigestMirrorSet/b"));
  });

  const editors: readonly { name: string; save(path: string, text: string): Promise<void> }[] = [
    { name: "writes in place", save: (path, text) => writeFile(path, text) },
    {
      name: "writes in place, slowly",
      async save(path, text) {
        const file = await open(path, "w");
        for (const part of text.match(/.{1,60}/gs) ?? []) {
          await file.write(part);
          await new Promise((next) => setTimeout(next, 10));
        }
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
      async save(path, text) {
        await rename(path, `${path}~`);
        await new Promise((next) => setTimeout(next, 30));
        await writeFile(path, text);
      },
    },
    {
      name: "deletes the file first",
      async save(path, text) {
        await rm(path);
        await new Promise((next) => setTimeout(next, 30));
        await writeFile(path, text);
      },
    },
  ];

  test.for(editors)(
    "When an editor $name, it should tell one update of the same object",
    async ({ save }) => {
      await writeFile(at("a.yaml"), `${mirrorSet("a")}---\n${mirrorSet("b")}`);
      openHub();
      const running = await watch();
      const before = await get("a");
      await save(at("a.yaml"), `${mirrorSet("a", "m2.example.com")}---\n${mirrorSet("b")}`);
      await running.until("update ImageDigestMirrorSet/a");
      expect(running.seen.slice(3)).toEqual(["update ImageDigestMirrorSet/a"]);
      expect((await get("a")).metadata.uid).toBe(before.metadata.uid);
    },
  );

  test("When a file is renamed, its objects should stay what they are", async () => {
    await writeFile(at("z.yaml"), mirrorSet("a"));
    openHub();
    const running = await watch();
    const before = await get("a");
    await rename(at("z.yaml"), at("b.yaml"));
    await writeFile(at("marker.yaml"), mirrorSet("marker"));
    await running.until("add ImageDigestMirrorSet/marker");
    expect(await get("a")).toEqual(before);
    expect(hub.fileOf(referenceTo(before))).toBe(at("b.yaml"));
    expect(running.seen.slice(2)).toEqual(["add ImageDigestMirrorSet/marker"]);
  });

  test("When a person edits right after the hub wrote, the edit should be found though the file looks alike", async () => {
    openHub();
    const running = await watch();
    const created = await hub.create({
      apiVersion: ImageDigestMirrorSet.apiVersion,
      kind: ImageDigestMirrorSet.kind,
      metadata: { name: "a" },
      spec: { imageDigestMirrors: [{ source: "quay.io/acme", mirrors: ["m1.example.com"] }] },
    });
    const file = hub.fileOf(referenceTo(created)) ?? "";
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace("m1.", "m2.")); // same size, same inode, nearly the same time
    await running.until("update ImageDigestMirrorSet/a");
    expect(mirrorOf(await get("a"))).toBe("m2.example.com");
  });

  test("When another process writes, its changes should be told", async () => {
    openHub();
    const running = await watch();
    const other = openDirectoryHub(directory);
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

test("When there are a thousand files, it should hold them all and still tell of an edit", async () => {
  const many = Array.from({ length: 1000 }, (_, index) => `set-${String(index).padStart(4, "0")}`);
  await Promise.all(many.map((name) => writeFile(at(`${name}.yaml`), mirrorSet(name))));
  openHub();
  expect(await names()).toEqual(many);
  const running = await watch();
  await writeFile(at("set-0500.yaml"), mirrorSet("set-0500", "m2.example.com"));
  await rm(at("set-0501.yaml"));
  await running.until("update ImageDigestMirrorSet/set-0500");
  await running.until("delete ImageDigestMirrorSet/set-0501");
  expect(running.seen).toHaveLength(1003);
});

describe("files that are wrong", () => {
  test("When a file becomes unreadable, its objects should stay and the issue be told once", async () => {
    await writeFile(at("a.yaml"), `${mirrorSet("a")}---\n${mirrorSet("b")}`);
    openHub();
    const before = await get("b");
    await writeFile(at("a.yaml"), `${mirrorSet("a", "m2.example.com")}---\n${broken}`);
    expect(await names()).toEqual(["a", "b"]);
    expect(mirrorOf(await get("a"))).toBe("m2.example.com");
    expect(await get("b")).toEqual(before);
    await names();
    expect(issues.map(({ code, object, path }) => [code, object.name, path])).toEqual([
      ["InvalidManifest", "a.yaml", "12:1"],
    ]);

    await writeFile(
      at("a.yaml"),
      `${mirrorSet("a", "m2.example.com")}---\n${mirrorSet("b", "m3.example.com")}`,
    );
    expect(mirrorOf(await get("b"))).toBe("m3.example.com");
    await writeFile(at("a.yaml"), mirrorSet("a", "m2.example.com"));
    expect(await names()).toEqual(["a"]);
    expect(issues).toHaveLength(1);
  });

  test("When a wrong file is there at the start, it should be told by every hub that is opened", async () => {
    await writeFile(at("a.yaml"), broken);
    openHub();
    hub.close();
    openHub();
    await names();
    expect(issues.map(({ object }) => object.name)).toEqual(["a.yaml", "a.yaml"]);
  });

  test("When two files define one object, the first by path should hold and the other be told", async () => {
    await writeFile(at("b.yaml"), mirrorSet("a", "m2.example.com"));
    openHub();
    const before = await get("a");
    await writeFile(at("a.yaml"), mirrorSet("a", "m1.example.com"));
    expect(await names()).toEqual(["a"]);
    expect(mirrorOf(await get("a"))).toBe("m1.example.com");
    expect(issues).toMatchObject([
      {
        code: "DuplicateObject",
        object: { kind: "ImageDigestMirrorSet", name: "a" },
        message: "It is defined in a.yaml and again in b.yaml; the former holds.",
      },
    ]);
    await rm(at("a.yaml"));
    expect(await names()).toEqual(["a"]);
    const after = await get("a");
    expect(mirrorOf(after)).toBe("m2.example.com");
    expect(after.metadata.uid).toBe(before.metadata.uid);
  });

  test("When an object stands in an unreadable part, writing it should fail with what to repair", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    openHub();
    await writeFile(at("a.yaml"), broken);
    const object = await get("a");
    const update = hub.update({ ...object, spec: {} });
    await expect(update).rejects.toThrow(HubError);
    await expect(update).rejects.toMatchObject({
      code: "Unavailable",
      message: expect.stringContaining("a.yaml"),
    });
    expect(await readFile(at("a.yaml"), "utf8")).toBe(broken);
  });
});

describe("what the hub writes", () => {
  const aSet = (name: string): KubernetesObject => ({
    apiVersion: ImageDigestMirrorSet.apiVersion,
    kind: ImageDigestMirrorSet.kind,
    metadata: { name },
    spec: { imageDigestMirrors: [] },
  });

  test("When an object is created, it should get a readable file of its own, named after it", async () => {
    openHub();
    await hub.create(aSet("acme"));
    expect(await readFile(at("imagedigestmirrorsets.config.openshift.io/acme.yaml"), "utf8")).toBe(
      "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata:\n  name: acme\nspec:\n  imageDigestMirrors: []\n",
    );
    await hub.create({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e", namespace: "default" },
      reason: "X",
    });
    expect((await stat(at("events.core/default/e.yaml"))).isFile()).toBe(true);
  });

  test("When a person's file has that name, it should leave it and take another", async () => {
    await mkdir(at("imagedigestmirrorsets.config.openshift.io"));
    const path = at("imagedigestmirrorsets.config.openshift.io/acme.yaml");
    await writeFile(path, mirrorSet("other"));
    openHub();
    const created = await hub.create(aSet("acme"));
    expect(hub.fileOf(referenceTo(created))).toBe(
      at("imagedigestmirrorsets.config.openshift.io/acme-2.yaml"),
    );
    expect(await readFile(path, "utf8")).toBe(mirrorSet("other"));
  });

  test("When an object of a person's file is updated, only its document should change, comments kept", async () => {
    const first = `# of the blue team\n${mirrorSet("a")}`;
    await writeFile(at("a.yaml"), `${first}---\n# b\n${mirrorSet("b")}`);
    openHub();
    const object = await get("b");
    const spec = { imageDigestMirrors: [{ source: "quay.io/acme", mirrors: ["m2.example.com"] }] };
    const updated = await hub.update({ ...object, spec });
    expect(await readFile(at("a.yaml"), "utf8")).toBe(
      `${first}---\n# b\n${mirrorSet("b", " m2.example.com ")}`,
    );
    expect(await get("b")).toEqual(updated);
    expect(updated.metadata.generation).toBe(2);
  });

  test("When objects of a person's file are deleted, it should shrink and go with the last", async () => {
    await writeFile(at("a.yaml"), `${mirrorSet("a")}---\n${mirrorSet("b")}`);
    openHub();
    await hub.delete(referenceTo(await get("a")));
    expect(await readFile(at("a.yaml"), "utf8")).toBe(`---\n${mirrorSet("b")}`);
    expect(await names()).toEqual(["b"]);
    await hub.delete(referenceTo(await get("b")));
    expect(await names()).toEqual([]);
    expect(await readdir(directory)).toEqual([".hubrelay"]);
  });

  test("When an object that two files define is deleted, it should not come back from the second", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    await writeFile(at("b.yaml"), mirrorSet("a"));
    openHub();
    await hub.delete(referenceTo(await get("a")));
    expect(await names()).toEqual([]);
  });
});

describe("status", () => {
  const version = (channel: string, desired: string) =>
    `apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nspec: {channel: ${channel}}\nstatus: {desired: {version: ${desired}}}\n`;
  const present = async () => {
    const object = await hub.get(ClusterVersion, "version");
    if (!object) throw new Error("the ClusterVersion is not there");
    return object;
  };

  test("When a manifest has a status, it should be the first, and a written one live apart from the file", async () => {
    await writeFile(at("version.yaml"), version("stable", "4.20.1"));
    openHub();
    const first = await present();
    expect(first.status).toEqual({ desired: { version: "4.20.1" } });
    await hub.updateStatus({ ...first, status: { desired: { version: "4.20.2" } } });
    expect((await present()).status).toEqual({ desired: { version: "4.20.2" } });
    expect(await readFile(at("version.yaml"), "utf8")).toBe(version("stable", "4.20.1"));
    const written = at(".hubrelay/status/clusterversions.config.openshift.io/version.yaml");
    expect(await readFile(written, "utf8")).toContain("4.20.2");
  });

  test("When a person edits something else, the written status should stay; a later edit of the status wins", async () => {
    await writeFile(at("version.yaml"), version("stable", "4.20.1"));
    openHub();
    await hub.updateStatus({ ...(await present()), status: { desired: { version: "4.20.2" } } });
    await writeFile(at("version.yaml"), version("fast", "4.20.1"));
    expect(await present()).toMatchObject({
      spec: { channel: "fast" },
      status: { desired: { version: "4.20.2" } },
    });
    await writeFile(at("version.yaml"), version("fast", "4.20.3"));
    expect((await present()).status).toEqual({ desired: { version: "4.20.3" } });
    await hub.update({ ...(await present()), spec: { channel: "eus" } });
    expect(await readFile(at("version.yaml"), "utf8")).toContain("4.20.3");
    expect((await present()).status).toEqual({ desired: { version: "4.20.3" } });
  });

  test("When a person takes the status out, a written one should stay, the manifest's own should go", async () => {
    await writeFile(at("version.yaml"), version("stable", "4.20.1"));
    openHub();
    const without = version("stable", "4.20.1").replace(/status.*\n/, "");
    await writeFile(at("version.yaml"), without);
    expect((await present()).status).toBeUndefined();
    await hub.updateStatus({ ...(await present()), status: { desired: { version: "4.20.2" } } });
    await writeFile(at("version.yaml"), `# edited\n${without}`);
    expect((await present()).status).toEqual({ desired: { version: "4.20.2" } });
  });
});
