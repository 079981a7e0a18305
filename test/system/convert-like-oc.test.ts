import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const policy = (name: string) => `apiVersion: operator.openshift.io/v1alpha1
kind: ImageContentSourcePolicy
metadata:
  name: ${name}
  uid: "1"
  labels:
    team: "yes"
spec:
  repositoryDigestMirrors:
  - source: quay.io/a
    mirrors: [m.lab/a, b.lab/a]
`;
const mirrorSet = (name: string) => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ImageDigestMirrorSet",
  metadata: { name, uid: "1", labels: { team: "yes" } },
  spec: { imageDigestMirrors: [{ source: "quay.io/a", mirrors: ["m.lab/a", "b.lab/a"] }] },
});

/** As oc writes them, every object is a document. */
const parsed = (text: string): readonly unknown[] =>
  parseAllDocuments(text).map((document): unknown => document.toJS());

let folder = "";
beforeEach(async () => {
  folder = await temporaryFolder();
});

const convert = (args: readonly string[], stdin = "") =>
  hubrelay(["convert", ...args], { stdin, cwd: folder });
const lines = (text: string) => text.trimEnd().split("\n");

describe("hubrelay convert --compat oc", () => {
  test("When there is no directory, it should print oc's objects", async () => {
    const args = ["-f", "-", "--compat", "oc"];
    const { stdout, stderr, exitCode } = await convert(args, `${policy("a")}---\n${policy("b")}`);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(parsed(stdout)).toEqual([mirrorSet("a"), mirrorSet("b")]);
  });

  test("When there is a directory, it should write one file for each input file, under a new name each time", async () => {
    await writeFile(join(folder, "a.yaml"), `${policy("a")}---\n${policy("b")}`);
    await writeFile(join(folder, "c.yaml"), policy("c"));
    const args = ["-f", "a.yaml", "-f", "c.yaml", "--compat", "oc", "--dir", "out/deep"];
    const { stdout, stderr, exitCode } = await convert(args);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const [first = "", second = "", ...more] = lines(stdout);
    expect(more).toEqual([]);
    expect(first).toMatch(/^wrote ImageDigestMirrorSet to out\/deep\/imagedigestmirrorset_a\.\d{6,}\.yaml$/);
    expect(second).toMatch(/^wrote ImageDigestMirrorSet to out\/deep\/imagedigestmirrorset_c\.\d{6,}\.yaml$/);
    const path = join(folder, first.replace("wrote ImageDigestMirrorSet to ", ""));
    expect(parsed(await readFile(path, "utf8"))).toEqual([mirrorSet("a"), mirrorSet("b")]);
    expect((await stat(path)).mode & 0o700).toBe(0o700);

    await convert(args);
    expect(await readdir(join(folder, "out/deep"))).toHaveLength(4);
  });

  test("When files are refused, it should convert the others and report each", async () => {
    await writeFile(join(folder, "empty.yaml"), "");
    await writeFile(join(folder, "a.yaml"), policy("a"));
    const files = ["empty.yaml", "none.yaml", "a.yaml", "."].flatMap((path) => ["-f", path]);
    const { stdout, stderr, exitCode } = await convert([...files, "--compat", "oc"]);
    expect(parsed(stdout)).toEqual([mirrorSet("a")]);
    expect(exitCode).toBe(1);
    expect(lines(stderr)).toEqual([
      expect.stringContaining("empty.yaml has no objects"),
      expect.stringContaining("none.yaml: no such file or directory"),
      expect.stringContaining(".: is a directory"),
    ]);
  });

  test("When a name would escape the directory, it should write nothing there", async () => {
    const { stdout, stderr, exitCode } = await convert(
      ["-f", "-", "--compat", "oc", "--dir", "out"],
      policy("/../../a"),
    );
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toContain("cannot be written: the name has a slash");
    expect(await readdir(folder)).toEqual(["out"]);
  });

  test("When issues are requested as JSON, it should write a refusal as one", async () => {
    const { stderr } = await convert(["-f", "-", "--compat", "oc", "--issues", "json"], "");
    expect(JSON.parse(stderr)).toMatchObject({
      code: "RefusedByOc",
      severity: "error",
      object: { kind: "File", name: "stdin" },
      message: "stdin has no objects",
    });
  });
});
