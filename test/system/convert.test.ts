import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const policy = (
  name: string,
  source = "quay.io/a",
  mirrors = "[m.lab/a, b.lab/a]",
) => `apiVersion: operator.openshift.io/v1alpha1
kind: ImageContentSourcePolicy
metadata:
  name: ${name}
  uid: "1"
  labels:
    team: "yes"
spec:
  repositoryDigestMirrors:
  - source: ${source}
    mirrors: ${mirrors}
`;
const mirrorSet = (name: string) => `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: ${name}
  labels:
    team: "yes"
spec:
  imageDigestMirrors:
  - source: quay.io/a
    mirrors:
    - m.lab/a
    - b.lab/a
`;
const tagPolicy = `apiVersion: config.openshift.io/v1
kind: ImageSourceTagPolicy
metadata:
  name: acme
spec:
  repositoryTagMirrors:
  - source: quay.io/a
    mirrors: [m.lab/a]
`;

let folder = "";
beforeEach(async () => {
  folder = await temporaryFolder();
});

const convert = (args: readonly string[], stdin = "") =>
  hubrelay(["convert", ...args], { stdin, cwd: folder });
const lines = (text: string) => text.trimEnd().split("\n");

describe("hubrelay convert -f -", () => {
  test.for([
    ["one policy is given", policy("acme"), mirrorSet("acme"), 0],
    ["one document is broken", `${policy("a")}---\nkind: [\n`, mirrorSet("a"), 1],
    ["one rule is refused", `${policy("a")}  - source: bad:tag\n`, mirrorSet("a"), 1],
    ["there are comments only", "# nothing\n", "", 2],
  ] as const)("When %s, it should print what could be converted", async ([, stdin, stdout, exitCode]) => {
    const result = await convert(["-f", "-"], stdin);
    expect(result).toMatchObject({ stdout, exitCode });
    expect(result.stderr !== "").toBe(exitCode !== 0);
  });

  test("When a policy changes its meaning, it should report that", async () => {
    const { stdout, stderr, exitCode } = await convert(["-f", "-"], tagPolicy);
    expect(exitCode).toBe(0);
    expect(stdout.match(/^kind: .*/gm)).toEqual(["kind: ImageDigestMirrorSet", "kind: ImageTagMirrorSet"]);
    expect(stderr).toMatch(/^stdin:\d+:\d+: warning: ImageSourceTagPolicy\/acme .*\[ChangedMeaning\]$/m);
  });
});

describe("hubrelay convert --dir", () => {
  test("When it is run again, it should overwrite its own files and leave others alone", async () => {
    await mkdir(join(folder, "policies", "nested"), { recursive: true });
    await writeFile(join(folder, "policies", "a.yaml"), `${policy("a")}---\n${policy("c")}`);
    await writeFile(join(folder, "policies", "nested", "b.yaml"), policy("b"));
    const paths = ["a", "c", "b"].map((name) => join("out", `imagedigestmirrorset_${name}.yaml`));

    const first = await convert(["-f", "policies", "--dir", "out"]);
    expect(first).toEqual({ stdout: `${paths.join("\n")}\n`, stderr: "", exitCode: 0 });
    await writeFile(join(folder, "out", "imagedigestmirrorset_a.yaml"), "half a fi");
    await writeFile(join(folder, "out", "notes.txt"), "mine");

    expect(await convert(["-f", "policies", "--dir", "out"])).toEqual(first);
    expect((await readdir(join(folder, "out"))).sort()).toEqual(
      [...paths.map((path) => path.slice(4)), "notes.txt"].sort(),
    );
    expect(await readFile(join(folder, "out", "imagedigestmirrorset_a.yaml"), "utf8")).toBe(mirrorSet("a"));
  });
});

describe("hubrelay convert --check", () => {
  test("When the file stays the same, it should report that no node is affected", async () => {
    const { stdout, stderr, exitCode } = await convert(["-f", "-", "--check"], policy("a"));
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(/^No node changes: .*\n$/);
  });

  test.for([
    { name: "the meaning changes", stdin: tagPolicy, difference: '+     pull-from-mirror = "tag-only"' },
    {
      name: "the order changes",
      stdin: policy("a", "quay.io/a", "[z.lab, z.lab, b.lab]"),
      difference: '"quay.io/a":',
    },
  ])("When $name, it should show the difference, write nothing and exit 1", async ({ stdin, difference }) => {
    const { stdout, stderr, exitCode } = await convert(["-f", "-", "--check", "--dir", "out"], stdin);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(difference);
    expect(stderr).toContain("Nothing was written to out.");
    expect(await readdir(folder)).toEqual([]);
  });

  test("When the check succeeds, it should write the files after it", async () => {
    const { stdout, exitCode } = await convert(["-f", "-", "--check", "--dir", "out"], policy("a"));
    expect(exitCode).toBe(0);
    expect(lines(stdout).at(-1)).toBe(join("out", "imagedigestmirrorset_a.yaml"));
  });
});
