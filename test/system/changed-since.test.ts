import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { sharedFolder, temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const folder = sharedFolder();
const set = (name: string, source: string, mirrorSourcePolicy?: string) =>
  writeManifest(
    aDigestMirrorSet(name, [
      { source, mirrors: [`m.example/${name}`], ...(mirrorSourcePolicy ? { mirrorSourcePolicy } : {}) },
    ]),
  );
const write = async (files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), text);
  }
};
const git = (...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
    cwd: folder.path,
    stdio: "pipe",
  });
const commit = () => {
  git("add", "-A");
  git("commit", "-qm", "x");
};
/** Each issue: its file and code. */
const found = (stderr: string) =>
  [...stderr.matchAll(/^([\w./-]+):\d+:\d+: .*\[(\w+)\]$/gm)].map(([, file, code]) => `${file} ${code}`);

beforeAll(async () => {
  git("init", "-q", "-b", "main");
  await write({
    "repo/old.yaml": set("old", "quay.io/old:v1"),
    "repo/fine.yaml": set("fine", "quay.io/fine", "AllowContactingSource"),
    "repo/broken.yaml": "kind: [",
    "repo/kustomize/kustomization.yaml": "resources: []\npatches: [{path: patch.yaml}]\n",
    "repo/kustomize/patch.yaml": "kind: ImageDigestMirrorSet\n",
    "other/more.yaml": set("more", "quay.io/more:v1"),
  });
  commit();
  git("checkout", "-qb", "change");
});

const validate = (...args: readonly string[]) =>
  hubrelay(["validate", "--changed-since", "main", ...args], { cwd: folder.path });
const folding = (errors: string, warnings: string) =>
  `Not shown, since they were there before this change: ${errors}, ${warnings}\n`;

test("When a change touches nothing that is wrong, validate should fold what was wrong and exit with 0", async () => {
  await write({ "repo/new.yaml": set("new", "quay.io/new") });
  const { stderr, exitCode } = await validate("-f", "repo");
  expect({ stderr, exitCode }).toEqual({
    stderr: expect.stringContaining(
      `${folding("2 errors", "1 warning")}3 objects checked in 6 files, 2 ignored, 0 errors, 0 warnings\nNot read: `,
    ),
    exitCode: 0,
  });
  const json = await validate("-f", "repo", "-o", "json");
  expect(JSON.parse(json.stdout)).toMatchObject({
    issues: [],
    accepted: [],
    summary: {
      objects: 3,
      files: 6,
      ignored: 2,
      errors: 0,
      warnings: 0,
      accepted: 0,
      folded: { errors: 2, warnings: 1 },
    },
    coverage: expect.objectContaining({ complete: false }),
  });
});

test("When a change breaks a file that it does not touch, validate should show that, and exit with 1", async () => {
  await write({ "repo/new.yaml": set("new", "quay.io/fine", "NeverContactSource") });
  commit();
  const { stderr, exitCode } = await validate("-f", "./repo/");
  expect(found(stderr)).toContain("repo/new.yaml ConflictingMirrorSourcePolicy");
  expect(stderr).toMatch(/^ {4}See also repo\/fine\.yaml:\d+\.\n {4}Fix: /m);
  expect(found(stderr)).not.toContain("repo/old.yaml InvalidSource");
  expect(exitCode).toBe(1);
});

const instead = /name files or folders with -f, -k or --helm\. Instead of piping/;

test.for([
  ["an unknown branch", "nothing", "repo", /^hubrelay: --changed-since nothing: .+\n$/],
  ["an option of git", "--all", "repo", /: git has no such branch, tag or commit\. /],
  ["no files", "main", "-", instead],
] as const)("When it is given %s, validate should say so", async ([, since, file, message]) => {
  const args = ["validate", "--changed-since", since, "-f", file];
  const { stderr, exitCode } = await hubrelay(args, { cwd: folder.path });
  expect(stderr).toMatch(message);
  expect(exitCode).toBe(2);
});

test("When a change breaks what is rendered, validate should show that, and fold what was wrong before", async () => {
  const programs = await temporaryFolder();
  // Stands in for kustomize: prints the file that the kustomization names.
  const standIn =
    '#!/bin/sh\nfor dir; do :; done\nread -r file <"$dir/kustomization.yaml"\n[ -f "$dir/$file" ] || { echo "Error: no $PWD/$dir/$file" >&2; exit 1; }\nexec /bin/cat "$dir/$file"\n';
  await writeFile(join(programs, "kustomize"), standIn, { mode: 0o755 });
  const variables = { PATH: `${programs}:${process.env.PATH}` };
  const check = async (...folders: readonly string[]) => {
    const named = folders.flatMap((name) => ["-k", name]);
    const { stderr, exitCode } = await hubrelay(["validate", "--changed-since", "rendered", ...named], {
      cwd: folder.path,
      variables,
    });
    return { stderr, exitCode, codes: stderr.match(/\[[A-Z]\w+\]/g) ?? [] };
  };
  await write({
    "ks/old/kustomization.yaml": "../mirrors-old.yaml\n",
    "ks/broken/kustomization.yaml": "nothing.yaml\n",
    "ks/fine/kustomization.yaml": "../mirrors-fine.yaml\n",
    "ks/mirrors-old.yaml": set("old", "quay.io/old:v1"),
    "ks/mirrors-fine.yaml": set("fine", "quay.io/fine"),
  });
  commit();
  git("branch", "rendered");
  await write({ "ks/new/kustomization.yaml": "../mirrors-fine.yaml\n" });
  expect(await check("ks/old", "ks/broken", "ks/fine", "ks/new")).toMatchObject({
    exitCode: 0,
    codes: [],
    stderr: expect.stringContaining(folding("2 errors", "0 warnings")),
  });
  await write({ "ks/mirrors-fine.yaml": set("fine", "quay.io/fine:v1") });
  expect(await check("ks/old", "ks/broken", "ks/fine", join(folder.path, "ks/new"))).toMatchObject({
    exitCode: 1,
    codes: ["[InvalidSource]"],
  });
  await rm(join(folder.path, "ks/mirrors-fine.yaml"));
  expect(await check("ks/fine")).toMatchObject({ exitCode: 1, codes: ["[RenderFailed]"] });
  expect(git("status", "--porcelain").toString()).toBe(" D ks/mirrors-fine.yaml\n?? ks/new/\n");
  expect(git("worktree", "list").toString().trim().split("\n")).toHaveLength(1);
});
