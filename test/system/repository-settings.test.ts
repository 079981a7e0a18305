import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const set = (source: string, comment = "") => `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: one
spec:
  imageDigestMirrors:
    ${comment}
    - source: ${source}
      mirrors: [mirror.example.com/a]
`;
const invalid = set("quay.io/a:v1");
const comment = "# hubrelay:accept InvalidSource until=2999-12-31 moved in CHG-7";

async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries({ ".git/HEAD": "", ...files })) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}
async function repositoryWith(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await temporaryFolder();
  await writeFiles(root, files);
  return root;
}
const settingsOf = (settings: unknown) => ({ ".hubrelay.yaml": JSON.stringify(settings) });
const accepted = { code: "InvalidSource", until: "2999-12-31", reason: "moved in CHG-7" };

test.for([
  ["a comment at its place", { "envs/a.yaml": set("quay.io/a:v1", comment) }],
  [
    "the settings",
    { "envs/a.yaml": invalid, ...settingsOf({ accept: [{ ...accepted, paths: ["envs/a.yaml"] }] }) },
  ],
] as const)(
  "When %s accepts an error, validate and diff should not fail, and count it",
  async ([, files]) => {
    const cwd = await repositoryWith(files);
    const validated = await hubrelay(["validate", "-f", "envs", "-o", "json"], { cwd });
    expect(validated.exitCode).toBe(0);
    expect(JSON.parse(validated.stdout)).toMatchObject({
      issues: [],
      accepted: [{ code: "InvalidSource", accepted: { until: "2999-12-31", reason: "moved in CHG-7" } }],
      summary: { errors: 0, accepted: 1 },
    });
    const { stderr } = await hubrelay(["validate", "-f", "envs"], { cwd });
    expect(stderr).toMatch(/^1 object checked in 1 file, 0 ignored, 0 errors, 0 warnings, 1 accepted\n/);
    expect((await hubrelay(["diff", "envs", "envs"], { cwd })).exitCode).toBe(0);
  },
);

test("When the old side is another checkout, its paths should be from its own root", async () => {
  const cwd = await repositoryWith({
    "envs/a.yaml": set("quay.io/a"),
    ...settingsOf({ exclude: ["envs/lab"] }),
  });
  const old = await repositoryWith({
    "envs/lab/b.yaml": "a: [",
    "envs/a.yaml": set("quay.io/a"),
    ...settingsOf({ exclude: ["envs/lab"] }),
  });
  const { stdout, stderr } = await hubrelay(["diff", join(old, "envs"), "envs"], { cwd });
  expect(stdout).toMatch(/^Cost none\n/);
  expect(stderr).toBe("");
});

test.for([
  ["a folder", ["envs"], "envs/lab/a.yaml"],
  ["a file", ["envs/lab/a.yaml"], "envs/lab/a.yaml"],
] as const)(
  "When a change touches what the base excludes in %s, diff should name it, and fail where all is required",
  async ([, [side], named]) => {
    const settings = settingsOf({ exclude: ["envs/lab"] });
    const others = { "envs/b.yaml": set("quay.io/b"), "envs/lab/same.yaml": set("quay.io/c") };
    const old = await repositoryWith({ ...others, ...settings, "envs/lab/a.yaml": set("quay.io/a") });
    const cwd = await repositoryWith({ ...others, ...settings, "envs/lab/a.yaml": invalid });
    const args = ["diff", join(old, side), side];
    const { stdout, stderr, exitCode } = await hubrelay(args, { cwd });
    expect(stdout).toMatch(
      new RegExp(`^Not read: (?:.*; )?${named}: excluded by \\.hubrelay\\.yaml, and changed\\.$`, "m"),
    );
    expect([stderr, exitCode]).toEqual(["", 0]);
    const required = await hubrelay([...args, "--require-coverage"], { cwd });
    expect(required.stderr).toMatch(
      new RegExp(`error: .*Not read: .*${named}: excluded .*\\[NotCovered\\]`, "s"),
    );
    expect(required.exitCode).toBe(1);
  },
);

test.for([
  { on: "drain", exitCode: 1, why: "hubrelay: fails on drain: the change costs drain.\n" },
  { on: "reboot,difference", exitCode: 1, why: "hubrelay: fails on difference: the two sides differ.\n" },
])(
  "When a change drains nodes and diff fails on $on, the exit code should be $exitCode",
  async ({ on, exitCode, why }) => {
    const cwd = await repositoryWith({ "a.yaml": set("quay.io/a"), "b.yaml": set("quay.io/b") });
    const result = await hubrelay(["diff", "a.yaml", "b.yaml", "--fail-on", on], { cwd });
    expect({ exitCode: result.exitCode, why: result.stderr }).toEqual({ exitCode, why });
    const inSettings = await repositoryWith({
      "a.yaml": set("quay.io/a"),
      "b.yaml": set("quay.io/b"),
      ...settingsOf({ failOn: on.split(",") }),
    });
    expect((await hubrelay(["diff", "a.yaml", "b.yaml"], { cwd: inSettings })).exitCode).toBe(exitCode);
  },
);

test("When validate fails on warnings, severities of the settings should count", async () => {
  const severities = [{ code: "InvalidSource", severity: "warning", reason: "known" }];
  const cwd = await repositoryWith({ "a.yaml": invalid, ...settingsOf({ severities }) });
  expect((await hubrelay(["validate", "-f", "a.yaml"], { cwd })).exitCode).toBe(0);
  const { stderr, exitCode } = await hubrelay(["validate", "-f", "a.yaml", "--fail-on", "warning"], { cwd });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^a\.yaml:8:7: warning: .*\nhubrelay: fails on warning: 1 warning\.\n/s);
});

const unquoted = "clusters:\n- name: a\n  paths: [a]\n  release: 4.20\n";

test.for([
  ["misspelt", "acept: []\n", "1:1: error: acept: hubrelay has no such setting. Fix: Did you mean accept?"],
  ["no YAML", "accept: [\n", "2:1: Flow sequence"],
  [
    "without quotes",
    unquoted,
    "4:3: error: clusters[0].release 4.2: It must be a text. Fix: Write it in quotes.",
  ],
] as const)(
  "When a setting is %s, every command that reads it should exit with 2 and name its line",
  async ([, text, problem]) => {
    const cwd = await repositoryWith({ "a.yaml": set("quay.io/a"), ".hubrelay.yaml": text });
    for (const command of [["config"], ["validate", "-f", "a.yaml"], ["diff", "a.yaml", "a.yaml"]]) {
      const { stderr, stdout, exitCode } = await hubrelay(command, { cwd });
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
      expect(stderr).toContain(`hubrelay: .hubrelay.yaml:${problem}`);
    }
  },
);

test("When settings are shown, those that have ended should be marked", async () => {
  const accept = [{ ...accepted, until: "2020-01-01" }, accepted];
  const cwd = await repositoryWith(settingsOf({ accept }));
  const { stdout } = await hubrelay(["config"], { cwd });
  expect(stdout).toMatch(/^file: .hubrelay.yaml\nclusters: \[\]\n/);
  expect(stdout.match(/hasEnded: \w+/g)).toEqual(["hasEnded: true", "hasEnded: false"]);
});

const ofBase = { severities: [{ code: "InvalidSource", severity: "warning", reason: "known" }] };

const excludes = "This change adds envs to exclude in .hubrelay.yaml: that counts from when it is merged.";
const warns = "This change adds InvalidSource (warning) to severities in .hubrelay.yaml";
const errs = "removes InvalidSource (warning) from severities";
const accepts = "This change accepts InvalidSource in envs until 2999-12-31.";
const ofBaseOnly = "The change accepts InvalidSource everywhere, and only acceptances of its base count.";
const [inBase, acceptances] = [{ accept: [accepted], acceptances: "base" }, { acceptances: "base" }];

test.for([
  ["excludes what it breaks", { exclude: ["envs"] }, {}, 1, excludes],
  ["makes an error a warning", ofBase, {}, 1, warns],
  ["makes a warning of the base an error", {}, ofBase, 0, errs],
  ["accepts what it breaks", { accept: [{ ...accepted, paths: ["envs"] }] }, {}, 0, accepts],
  ["accepts what it breaks, where only acceptances of the base count", inBase, acceptances, 1, ofBaseOnly],
] as const)("When a change %s, its base should decide", async ([, own, base, code, said]) => {
  const old = await repositoryWith({ "envs/a.yaml": set("quay.io/a"), ...settingsOf(base) });
  const cwd = await repositoryWith({ "envs/a.yaml": invalid, ...settingsOf(own) });
  const { stdout, stderr, exitCode } = await hubrelay(["diff", old, ".", "-o", "markdown"], { cwd });
  expect({ exitCode, text: `${stdout}${stderr}`.replaceAll("&#95;", "_") }).toEqual({
    exitCode: code,
    text: expect.stringContaining(said),
  });
  if (said.startsWith("This")) expect(stdout).toMatch(/^<!-- hubrelay diff -->\n⚙️ This change /);
});

test.for([
  [
    "copies its comment",
    `${invalid.replace("    \n", `    ${comment}\n`)}    ${comment}\n    - source: quay.io/b:v1\n      mirrors: [mirror.example.com/b]\n`,
  ],
  ["changes the line that it is about", set("quay.io/b:v1", comment)],
] as const)("When a change %s, the acceptance should be one that the change adds", async ([, text]) => {
  const before = set("quay.io/a:v1", comment);
  const [old, cwd] = [await repositoryWith({ "a.yaml": before }), await repositoryWith({ "a.yaml": text })];
  const counted = await hubrelay(["diff", old, "."], { cwd });
  expect(counted.stderr).toBe("hubrelay: This change accepts InvalidSource in a.yaml until 2999-12-31.\n");
  await writeFiles(old, settingsOf(acceptances));
  const refused = await hubrelay(["diff", old, "."], { cwd });
  expect(refused.stderr).toContain(
    "The change accepts InvalidSource in a.yaml, and only acceptances of its base count.",
  );
  expect([counted.exitCode, refused.exitCode]).toEqual([0, 1]);
});
