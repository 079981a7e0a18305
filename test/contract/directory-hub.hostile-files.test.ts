import { execFileSync, spawn } from "node:child_process";
import { chmod, mkdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { mirrorSet, peopleFolder } from "../support/hub/people-folder.ts";

const people = peopleFolder();
const { at, openHub, names } = people;
const found = () => people.issues.map(({ code, severity, object }) => [severity, code, object.name]);

const child = (name: string, ...args: readonly string[]) =>
  spawn(process.execPath, [fileURLToPath(new URL(`../support/hub/${name}`, import.meta.url)), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });

describe("what is not a readable file", () => {
  test.for<readonly [string, (path: string) => Promise<unknown>, string]>([
    ["a link to itself", (path) => symlink("b.yaml", path), "too many levels of symbolic links"],
    ["a FIFO", async (path) => execFileSync("mkfifo", [path]), "it is not a regular file"],
  ])("When the folder has %s, it should be one warning and the rest be read", async ([, make, why]) => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    await make(at("b.yaml"));
    await mkdir(at("team"));
    await writeFile(at("team/c.yaml"), mirrorSet("c"));
    openHub();
    expect(await names()).toEqual(["a", "c"]);
    expect(found()).toEqual([["warning", "SkippedPath", "b.yaml"]]);
    expect(people.issues[0]?.message).toBe(`This path is left out: ${why}.`);
  });

  test("When a file becomes a FIFO while the hub runs, its objects should stay until it is removed", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    openHub();
    await rm(at("a.yaml"));
    execFileSync("mkfifo", [at("a.yaml")]);
    await expect.poll(found).toEqual([["warning", "SkippedPath", "a.yaml"]]);
    expect(await names()).toEqual(["a"]);
    await rm(at("a.yaml"));
    await expect.poll(names).toEqual([]);
  });

  test("When a folder becomes unreadable, it should be one warning, and the objects in it should stay", async () => {
    await mkdir(at("team"));
    await writeFile(at("a.yaml"), mirrorSet("a"));
    await writeFile(at("team/b.yaml"), mirrorSet("b"));
    await writeFile(at("secret.yaml"), mirrorSet("c"));
    await chmod(at("secret.yaml"), 0o000);
    await chmod(people.directory, 0o777);
    const { stdin, stdout } = child("unprivileged-child.ts", people.directory);
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? "");
    const unreadable = "error UnreadableFile secret.yaml: This file cannot be read: permission denied.";
    expect(await next()).toEqual({ names: ["a", "b"], issues: [unreadable] });
    await chmod(at("team"), 0o000);
    const skipped = "warning SkippedPath team: This path is left out: permission denied.";
    expect(await next()).toEqual({ names: ["a", "b"], issues: [unreadable, skipped] });
    await chmod(at("team"), 0o755);
    expect(await next()).toEqual({ names: ["a", "b"], issues: [unreadable] });
    await rm(at("team/b.yaml"));
    expect(await next()).toEqual({ names: ["a"], issues: [unreadable] });
    stdin.end();
  });
});

describe("sizes", () => {
  test("When a file is larger than 256 MiB, it should be refused with the limit, and the rest be read", async () => {
    await writeFile(at("a.yaml"), mirrorSet("a"));
    await writeFile(at("b.yaml"), mirrorSet("b"));
    await truncate(at("b.yaml"), 256 * 1024 * 1024 + 1);
    openHub();
    expect(await names()).toEqual(["a"]);
    expect(found()).toEqual([["error", "UnreadableFile", "b.yaml"]]);
    expect(people.issues[0]?.message).toContain("it has 257 MiB, more than the limit of 256 MiB");
  });

  test("When an object is larger than 3 MiB, it should be refused with the limit, and the rest be read", async () => {
    const large = `${mirrorSet("b")}  note: ${"x".repeat(3 * 1024 * 1024)}\n`;
    await writeFile(at("a.yaml"), `${mirrorSet("a")}---\n${large}---\n${mirrorSet("c")}`);
    openHub();
    expect(await names()).toEqual(["a", "c"]);
    expect(found()).toEqual([["error", "InvalidManifest", "b"]]);
    const [{ file, line, message } = {}] = people.issues;
    expect([file, line, message]).toEqual([
      "a.yaml",
      10,
      "The object is larger than 3 MiB, the limit of API servers.",
    ]);
  });

  /** The dump of a hub: 10 MB as `kubectl get -o yaml` prints them. Whole, the list would take 400 MiB. */
  function dump(): Readonly<{ text: string; count: number }> {
    const mirrors = Array.from(
      { length: 20 },
      (_, index) =>
        `    - source: quay.io/acme/repository-${index}\n      mirrors: [m${index}.example.com]\n`,
    ).join("");
    const note = `    note: ${"an annotation as controllers write them ".repeat(100)}\n`;
    const item = (name: string) =>
      `- apiVersion: config.openshift.io/v1\n  kind: ImageDigestMirrorSet\n  metadata:\n    name: ${name}\n  spec:\n    imageDigestMirrors:\n${mirrors}${note}`;
    const count = Math.ceil(10_000_000 / item("set-00000").length);
    const items = Array.from({ length: count }, (_, index) => item(`set-${index}`));
    return { text: `apiVersion: v1\nitems:\n${items.join("")}kind: List\n`, count };
  }

  test("When a dump of 10 MB is read, it should take less than 290 MiB of memory", async () => {
    const { text: content, count } = dump();
    await writeFile(at("dump.yaml"), content);
    const { length, mib } = JSON.parse(await text(child("memory-child.ts", people.directory).stdout));
    expect(length).toBe(count);
    expect(mib).toBeLessThan(290);
  });
});
