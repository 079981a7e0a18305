import { readFile, rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { HubError } from "#shared/ports/hub.ts";
import { mirrorOf, mirrorSet, peopleFolder } from "../support/hub/people-folder.ts";

const broken = "apiVersion: config.openshift.io/v1\nkind: [\n";

const people = peopleFolder();
const { at, openHub, get, names } = people;

describe("invalid files", () => {
  test("When a file becomes unreadable, its objects should stay and the issue be reported once", async () => {
    await writeFile(at("a.yaml"), `${mirrorSet("a")}---\n${mirrorSet("b")}`);
    openHub();
    const before = await get("b");
    await writeFile(at("a.yaml"), `${mirrorSet("a", "m2.example.com")}---\n${broken}`);
    await expect.poll(async () => mirrorOf(await get("a"))).toBe("m2.example.com");
    expect(await names()).toEqual(["a", "b"]);
    expect(await get("b")).toEqual(before);
    expect(people.issues.map(({ code, object, path }) => [code, object.name, path])).toEqual([
      ["InvalidManifest", "a.yaml", "12:1"],
    ]);
    expect(people.fixed).toEqual([]);

    await writeFile(
      at("a.yaml"),
      `${mirrorSet("a", "m2.example.com")}---\n${mirrorSet("b", "m3.example.com")}`,
    );
    await expect.poll(async () => mirrorOf(await get("b"))).toBe("m3.example.com");
    expect(people.fixed).toEqual(people.issues);
    await writeFile(at("a.yaml"), mirrorSet("a", "m2.example.com"));
    await expect.poll(names).toEqual(["a"]);
    expect(people.issues).toHaveLength(1);
  });

  test("When an invalid file exists at the start, every hub that is opened should report it", async () => {
    await writeFile(at("a.yaml"), broken);
    openHub();
    people.hub.close();
    openHub();
    await names();
    expect(people.issues.map(({ object }) => object.name)).toEqual(["a.yaml", "a.yaml"]);
  });

  test("When two files define one object, the first by path should win and the other be reported", async () => {
    await writeFile(at("b.yaml"), mirrorSet("a", "m2.example.com"));
    openHub();
    const before = await get("a");
    await writeFile(at("a.yaml"), mirrorSet("a", "m1.example.com"));
    await expect.poll(async () => mirrorOf(await get("a"))).toBe("m1.example.com");
    expect(await names()).toEqual(["a"]);
    expect(people.issues).toMatchObject([
      {
        code: "DuplicateObject",
        object: { kind: "ImageDigestMirrorSet", name: "a" },
        file: "a.yaml",
        related: [{ file: "b.yaml" }],
      },
    ]);
    await rm(at("a.yaml"));
    await expect.poll(async () => mirrorOf(await get("a"))).toBe("m2.example.com");
    const after = await get("a");
    expect(after.metadata.uid).toBe(before.metadata.uid);
  });

  test("When two files define one object alike, apart from its status, it should report nothing", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    await writeFile(at("b.yaml"), `${mirrorSet("a")}status: {}\n`);
    openHub();
    expect(await names()).toEqual(["a"]);
    expect(people.issues).toEqual([]);
  });

  test("When an object is in an unreadable part, writing it should fail and say what to repair", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    openHub();
    await writeFile(at("a.yaml"), broken);
    const object = await get("a");
    const update = people.hub.update({ ...object, spec: {} });
    await expect(update).rejects.toThrow(HubError);
    await expect(update).rejects.toMatchObject({
      code: "Unavailable",
      message: expect.stringContaining("a.yaml"),
    });
    expect(await readFile(at("a.yaml"), "utf8")).toBe(broken);
  });
});
