import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { mirrorSet, peopleFolder } from "../support/hub/people-folder.ts";

const { ImageDigestMirrorSet, ClusterVersion } = kinds;

const people = peopleFolder();
const { at, openHub, get, names } = people;

describe("what the hub writes", () => {
  const aSet = (name: string): KubernetesObject => ({
    apiVersion: ImageDigestMirrorSet.apiVersion,
    kind: ImageDigestMirrorSet.kind,
    metadata: { name },
    spec: { imageDigestMirrors: [] },
  });

  test("When an object is created, it should get a readable file of its own, named after it", async () => {
    openHub();
    await people.hub.create(aSet("acme"));
    expect(await readFile(at("imagedigestmirrorsets.config.openshift.io/acme.yaml"), "utf8")).toBe(
      "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata:\n  name: acme\nspec:\n  imageDigestMirrors: []\n",
    );
    await people.hub.create({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e", namespace: "default" },
      reason: "X",
    });
    expect((await stat(at("events.core/default/e.yaml"))).isFile()).toBe(true);
  });

  test("When a person's file has that name, it should leave it and choose another", async () => {
    await mkdir(at("imagedigestmirrorsets.config.openshift.io"));
    const path = at("imagedigestmirrorsets.config.openshift.io/acme.yaml");
    await writeFile(path, mirrorSet("other"));
    openHub();
    const created = await people.hub.create(aSet("acme"));
    expect(people.hub.fileOf(referenceTo(created))).toBe(
      at("imagedigestmirrorsets.config.openshift.io/acme-2.yaml"),
    );
    expect(await readFile(path, "utf8")).toBe(mirrorSet("other"));
  });

  test("When an object of a person's file is updated, it should change only its document and keep comments", async () => {
    const first = `# of the blue team\n${mirrorSet("a")}`;
    await writeFile(at("a.yaml"), `${first}---\n# b\n${mirrorSet("b")}`);
    openHub();
    const object = await get("b");
    const spec = { imageDigestMirrors: [{ source: "quay.io/acme", mirrors: ["m2.example.com"] }] };
    const updated = await people.hub.update({ ...object, spec });
    expect(await readFile(at("a.yaml"), "utf8")).toBe(
      `${first}---\n# b\n${mirrorSet("b", " m2.example.com ")}`,
    );
    expect(await get("b")).toEqual(updated);
    expect(updated.metadata.generation).toBe(2);
  });

  test("When objects of a person's file are deleted, the file should shrink and be removed with the last", async () => {
    await writeFile(at("a.yaml"), `${mirrorSet("a")}---\n${mirrorSet("b")}`);
    openHub();
    await people.hub.delete(referenceTo(await get("a")));
    expect(await readFile(at("a.yaml"), "utf8")).toBe(`---\n${mirrorSet("b")}`);
    expect(await names()).toEqual(["b"]);
    await people.hub.delete(referenceTo(await get("b")));
    expect(await names()).toEqual([]);
    expect(await readdir(people.directory)).toEqual([]);
  });

  test("When an object that two files define is deleted, it should not reappear from the second", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    await writeFile(at("b.yaml"), mirrorSet("a"));
    openHub();
    await people.hub.delete(referenceTo(await get("a")));
    expect(await names()).toEqual([]);
  });
});

describe("status", () => {
  const version = (channel: string, desired: string) =>
    `apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nspec: {channel: ${channel}}\nstatus: {desired: {version: ${desired}}}\n`;
  const present = async () => {
    const object = await people.hub.get(ClusterVersion, "version");
    if (!object) throw new Error("the ClusterVersion is not there");
    return object;
  };

  test("When a manifest has a status, it should be the initial one, and a written one be stored apart from the file", async () => {
    await writeFile(at("version.yaml"), version("stable", "4.20.1"));
    openHub();
    const first = await present();
    expect(first.status).toEqual({ desired: { version: "4.20.1" } });
    await people.hub.updateStatus({ ...first, status: { desired: { version: "4.20.2" } } });
    expect((await present()).status).toEqual({ desired: { version: "4.20.2" } });
    expect(await readFile(at("version.yaml"), "utf8")).toBe(version("stable", "4.20.1"));
    const written = at(".hubrelay/status/clusterversions.config.openshift.io/version.yaml");
    expect(await readFile(written, "utf8")).toContain("4.20.2");
  });

  test("When a person edits something else, the written status should stay; a later edit of the status wins", async () => {
    await writeFile(at("version.yaml"), version("stable", "4.20.1"));
    openHub();
    await people.hub.updateStatus({ ...(await present()), status: { desired: { version: "4.20.2" } } });
    await writeFile(at("version.yaml"), version("fast", "4.20.1"));
    await expect.poll(present).toMatchObject({
      spec: { channel: "fast" },
      status: { desired: { version: "4.20.2" } },
    });
    await writeFile(at("version.yaml"), version("fast", "4.20.3"));
    await expect.poll(present).toMatchObject({ status: { desired: { version: "4.20.3" } } });
    await people.hub.update({ ...(await present()), spec: { channel: "eus" } });
    expect(await readFile(at("version.yaml"), "utf8")).toContain("4.20.3");
    expect((await present()).status).toEqual({ desired: { version: "4.20.3" } });
    await writeFile(at("version.yaml"), version("fast", "4.20.1"));
    await expect.poll(present).toMatchObject({ status: { desired: { version: "4.20.1" } } });
    await people.hub.updateStatus({ ...(await present()), status: { desired: { version: "4.20.2" } } });
    people.hub.close();
    await writeFile(at("version.yaml"), version("fast", "4.20.4"));
    openHub();
    expect((await present()).status).toEqual({ desired: { version: "4.20.4" } });
  });

  test("When a person removes the status, a written one should stay, but not the manifest's own", async () => {
    await writeFile(at("version.yaml"), version("stable", "4.20.1"));
    openHub();
    const without = version("stable", "4.20.1").replace(/status.*\n/, "");
    await writeFile(at("version.yaml"), without);
    await expect.poll(async () => (await present()).status).toBeUndefined();
    await people.hub.updateStatus({ ...(await present()), status: { desired: { version: "4.20.2" } } });
    await writeFile(at("version.yaml"), without.replace("stable", "fast"));
    await expect.poll(present).toMatchObject({
      spec: { channel: "fast" },
      status: { desired: { version: "4.20.2" } },
    });
  });
});
