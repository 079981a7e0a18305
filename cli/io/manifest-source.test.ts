import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { sharedFolder } from "../../test/support/setup/temporary-folder.ts";
import { UsageError } from "../program/exit-codes.ts";
import { readStdin } from "./input-text.ts";
import { readSources } from "./manifest-source.ts";

const manifest = (name: string) =>
  `apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata:\n  name: ${name}\n`;
const stdin = async () => manifest("from-stdin");

const folder = sharedFolder();
beforeAll(async () => {
  await mkdir(join(folder.path, "mirrors", "deeper"), { recursive: true });
  await mkdir(join(folder.path, "mirrors", ".hidden"));
  const files: Readonly<Record<string, string>> = {
    "single.txt": manifest("single"),
    "broken.yaml": `${manifest("fine")}---\nspec: [`,
    "mirrors/b.yaml": manifest("b"),
    "mirrors/B.yml": manifest("upper"),
    "mirrors/a.json": JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }),
    "mirrors/deeper/c.yaml": manifest("c"),
    "mirrors/notes.md": "no manifest",
    "mirrors/.hidden/d.yaml": manifest("d"),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
});

const cases = [
  {
    name: "When a file is named, it should be read regardless of its extension",
    paths: ["single.txt"],
    found: ["single"],
  },
  {
    name: "When a directory is named, it should read the manifests below it by code unit, except hidden ones",
    paths: ["mirrors"],
    found: ["upper", "a", "b", "c"],
  },
  {
    name: "When several paths are named, it should keep their order",
    paths: ["mirrors/b.yaml", "-", "mirrors/a.json"],
    found: ["b", "from-stdin", "a"],
  },
  {
    name: "When a path is named twice, it should be read once",
    paths: ["-", "single.txt", "-"],
    found: ["from-stdin", "single"],
  },
  {
    name: "When a directory has no manifest, it should find nothing",
    paths: ["mirrors/.hidden/none"],
    found: [],
  },
];

test.for(cases)("$name", async ({ paths, found }) => {
  await mkdir(join(folder.path, "mirrors/.hidden/none"), { recursive: true });
  const { located, issues } = await readSources(
    paths.map((path) => (path === "-" ? path : join(folder.path, path))),
    stdin,
  );
  expect(located.map(({ object }) => object.metadata.name)).toEqual(found);
  expect(issues).toEqual([]);
});

test("When a file is invalid, it should report an issue with its path and still read the rest", async () => {
  const { located, issues } = await readSources([join(folder.path, "broken.yaml"), "-"], stdin);
  expect(located.map(({ object }) => object.metadata.name)).toEqual(["fine", "from-stdin"]);
  expect(issues.map(({ object, path }) => [relative(folder.path, object.name), path])).toEqual([
    ["broken.yaml", "6:8"],
  ]);
});

test("When a path does not exist, it should be a usage error that names it", async () => {
  const reading = readSources([join(folder.path, "missing.yaml")], stdin);
  await expect(reading).rejects.toThrow(UsageError);
  await expect(reading).rejects.toThrow("missing.yaml: no such file or directory");
});

test("When a directory has a link to itself, a link to nowhere and a FIFO, each should be one warning", async () => {
  const directory = join(folder.path, "odd");
  await mkdir(directory);
  await symlink("loop.yaml", join(directory, "loop.yaml"));
  await symlink("nowhere", join(directory, "gone.yaml"));
  execFileSync("mkfifo", [join(directory, "pipe.yaml")]);
  await writeFile(join(directory, "a.yaml"), manifest("a"));
  const { located, issues } = await readSources([directory], stdin);
  expect(located.map(({ object }) => object.metadata.name)).toEqual(["a"]);
  expect(
    issues.map(({ code, severity, path, value }) => [code, severity, relative(directory, path), value]),
  ).toEqual([
    ["SkippedPath", "warning", "gone.yaml", "no such file or directory"],
    ["SkippedPath", "warning", "loop.yaml", "too many levels of symbolic links"],
    ["SkippedPath", "warning", "pipe.yaml", "it is not a regular file"],
  ]);
});

/** The same object as someone wrote it and as a hub returns it, with its status. */
const exported = (name: string) => `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: ${name}
  uid: 6f0f
  resourceVersion: "7"
  generation: 2
  creationTimestamp: 2026-03-01T02:00:00Z
  managedFields: [{ manager: kubectl, time: 2026-03-01T02:00:00Z }]
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: "{}"
status: {}
`;

test("When two files define an object alike apart from what a hub adds, it should be read once without an issue", async () => {
  const directory = join(folder.path, "alike");
  await mkdir(directory);
  await writeFile(join(directory, "a.yaml"), manifest("same"));
  await writeFile(join(directory, "b.yaml"), exported("same"));
  const { located, issues } = await readSources([directory], stdin);
  expect(located.map(({ file }) => relative(directory, file))).toEqual(["b.yaml"]);
  expect(issues).toEqual([]);
});

test("When variants of one CustomResourceDefinition are given, as payloads have them, each should be read", async () => {
  const crd = (features: string) =>
    `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: x\n  annotations: { f: ${features} }\n`;
  const { located, issues } = await readSources(["-"], async () => `${crd("Default")}---\n${crd("Preview")}`);
  expect(located).toHaveLength(2);
  expect(issues).toEqual([]);
});

test("When a file is larger than 256 MiB, it should be a usage error that names the limit", async () => {
  const large = join(folder.path, "large.txt");
  await writeFile(large, "");
  await truncate(large, 300 * 1024 * 1024);
  await expect(readSources([large], stdin)).rejects.toThrow("it has 300 MiB, more than the limit of 256 MiB");
});

test("When standard input is larger than 256 MiB, it should be read no further, and the limit be named", async () => {
  const chunk = Buffer.alloc(16 * 1024 * 1024, "#");
  let taken = 0;
  async function* endless() {
    for (;;) {
      taken++;
      yield chunk;
    }
  }
  await expect(readStdin(endless())).rejects.toThrow(
    "stdin is not read: it has more than the limit of 256 MiB",
  );
  expect(taken).toBe(17);
});

test("When a file is not UTF-8, it should be a usage error, and in a folder one issue, with the line", async () => {
  const directory = join(folder.path, "latin");
  await mkdir(directory);
  const file = join(directory, "a.yaml");
  await writeFile(file, Buffer.from(`${manifest("a")}# bod\xF8\n`, "latin1"));
  await writeFile(join(directory, "b.yaml"), manifest("b"));
  await expect(readSources([file], stdin)).rejects.toThrow(
    new UsageError(`${file}: line 5 is not UTF-8; save the file as UTF-8`),
  );
  const { located, issues } = await readSources([directory], stdin);
  expect(located.map(({ object }) => object.metadata.name)).toEqual(["b"]);
  expect(issues).toMatchObject([
    { code: "UnreadableFile", value: "line 5 is not UTF-8; save the file as UTF-8", file },
  ]);
});
