import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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
const mirrorSetLikeOc = (name: string) => `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
    labels:
        team: "yes"
    name: ${name}
    uid: "1"
spec:
    imageDigestMirrors:
        - mirrors:
            - m.lab/a
            - b.lab/a
          source: quay.io/a
`;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hubrelay-convert-like-oc-"));
});
afterEach(() => rm(folder, { recursive: true }));

const convert = (args: readonly string[], stdin = "") =>
  hubrelay(["convert", ...args], { stdin, cwd: folder });
const lines = (text: string) => text.trimEnd().split("\n");

describe("hubrelay convert --compat oc", () => {
  test("When there is no directory, it should print oc's text", async () => {
    const stdout = `${mirrorSetLikeOc("a")}---\n${mirrorSetLikeOc("b")}`;
    expect(await convert(["-f", "-", "--compat", "oc"], `${policy("a")}---\n${policy("b")}`)).toEqual({
      stdout,
      stderr: "",
      exitCode: 0,
    });
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
    expect(await readFile(path, "utf8")).toBe(`${mirrorSetLikeOc("a")}---\n${mirrorSetLikeOc("b")}`);
    expect((await stat(path)).mode & 0o700).toBe(0o700);

    await convert(args);
    expect(await readdir(join(folder, "out/deep"))).toHaveLength(4);
  });

  test("When one file is refused, it should convert the others and repeat oc's message", async () => {
    await writeFile(join(folder, "empty.yaml"), "");
    await writeFile(join(folder, "a.yaml"), policy("a"));
    const result = await convert(["-f", "empty.yaml", "-f", "a.yaml", "--compat", "oc"]);
    expect(result).toEqual({
      stdout: mirrorSetLikeOc("a"),
      stderr: "error: no data found in ImageContentSourceFile empty.yaml\n",
      exitCode: 1,
    });
  });

  test("When several files are refused, it should list all messages as oc does", async () => {
    await writeFile(join(folder, "comment.yaml"), "# only");
    const result = await convert(["-f", "comment.yaml", "-f", "none.yaml", "-f", ".", "--compat", "oc"]);
    expect(result).toEqual({
      stdout: "",
      stderr: `error decoding ImageContentSourcePolicy from comment.yaml: Object 'Kind' is missing in '# only\n'
unable to read ImageContentSourceFile none.yaml: open none.yaml: no such file or directory
unable to read ImageContentSourceFile .: read .: is a directory
`,
      exitCode: 1,
    });
  });

  test("When a name would escape the directory, it should write nothing there", async () => {
    const { stdout, stderr, exitCode } = await convert(
      ["-f", "-", "--compat", "oc", "--dir", "out"],
      policy("/../../a"),
    );
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toContain("error writing ImageDigestMirrorSet: ");
    expect(await readdir(folder)).toEqual(["out"]);
  });

  test("When issues are requested as JSON, it should write a refusal as one", async () => {
    const { stderr } = await convert(["-f", "-", "--compat", "oc", "--issues", "json"], "");
    expect(JSON.parse(stderr)).toMatchObject({
      code: "RefusedByOc",
      severity: "error",
      object: { kind: "File", name: "stdin" },
      message: "no data found in ImageContentSourceFile stdin",
    });
  });
});
