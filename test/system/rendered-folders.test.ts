import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const set = (source: string) =>
  writeManifest(aDigestMirrorSet("site", [{ source, mirrors: ["m.example/x"] }]));
const chart = "apiVersion: v2\nname: mirrors\nversion: 1.0.0\n";
const template = "kind: ImageDigestMirrorSet\nspec:\n{{ toYaml .Values.mirrors | indent 2 }}\n";

const clusters = ["prod", "stage"].map((name) => ({ name, paths: [`overlays/${name}`] }));
const folder = sharedFolder({
  ".hubrelay.yaml": JSON.stringify({ clusters }),
  "base/kustomization.yaml": "resources: [mirrors.yaml]\n",
  "base/mirrors.yaml": set("quay.io/x"),
  "overlays/prod/kustomization.yaml": "resources: [../../base]\npatches: [{path: patch.yaml}]\n",
  "overlays/prod/patch.yaml": "kind: ImageDigestMirrorSet\nmetadata: {name: site}\nspec: {nonsense: true}\n",
  // What the stand-in for kustomize prints.
  "overlays/prod/rendered": set("quay.io/x:v1"),
  "overlays/stage/rendered": set("quay.io/x"),
  "charts/mirrors/Chart.yaml": chart,
  "charts/mirrors/values.yaml": "mirrors: []\n",
  "charts/mirrors/templates/mirrors.yaml": template,
  "charts/mirrors/rendered": set("quay.io/x"),
  "charts/broken/Chart.yaml": chart,
  "loose/mirrors.yaml": template,
});

/** A program that prints a file of the folder that it is given last, or fails where there is none. */
const standIn =
  '#!/bin/sh\nfor dir; do :; done\necho "warning: old" >&2\n[ -f "$dir/rendered" ] || { echo "Error: no $1 in $dir" >&2; exit 1; }\nexec /bin/cat "$dir/rendered"\n';

beforeAll(async () => {
  for (const program of ["kustomize-bin/kustomize", "kubectl-bin/kubectl", "helm-bin/helm"]) {
    const path = join(folder.path, "..bin", program);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, standIn);
    await chmod(path, 0o755);
  }
});

const run = (args: readonly string[], ...programs: readonly string[]) =>
  hubrelay(args, {
    cwd: folder.path,
    variables: {
      PATH: programs.map((name) => join(folder.path, "..bin", `${name}-bin`)).join(":") || "/none",
    },
  });

const byKustomize =
  "overlays/prod/kustomization.yaml: kustomize makes the manifests of 1 kustomization, so they are not checked";
const byHelm = "charts/mirrors/Chart.yaml: helm makes the manifests of 1 Helm chart";

test.for([
  ["overlays/prod", byKustomize, "-k overlays/prod"],
  ["overlays/prod/kustomization.yaml", byKustomize, "-k overlays/prod"],
  ["charts/mirrors", byHelm, "--helm charts/mirrors"],
  ["charts/mirrors/templates/mirrors.yaml", byHelm, "--helm charts/mirrors"],
] as const)(
  "When %s is all that is named, validate should name the option that renders it",
  async ([path, what, option]) => {
    const { stderr, exitCode } = await run(["validate", "-f", path]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`hubrelay: nothing to check: ${what}`);
    expect(stderr).toMatch(new RegExp(` Use ${option} to render it\\.\n$`));
  },
);

test("When diff finds a folder that is not rendered, the option that it names should be one for both sides", async () => {
  const diff = ["diff", "overlays/prod", "overlays/prod"];
  const { stderr } = await run(diff);
  expect(stderr).toMatch(
    /1 kustomization, so they are not checked\. \[NotRendered\] \(there before\)\n +Fix: Use -k \. to render it\.\n/,
  );
  expect((await run([...diff, "-k", "."], "kustomize")).exitCode).toBe(0);
});

test("When a folder has both beside manifests, validate should check these and leave out patches and templates", async () => {
  const { stderr, exitCode } = await run(["validate", "-f", "."]);
  expect(exitCode).toBe(0);
  expect(stderr.match(/\[\w+\]/g)).toEqual(["[NotRendered]", "[NotRendered]"]);
  expect(stderr).toContain("loose/mirrors.yaml: a template decides it");
  expect(stderr).toContain("1 object checked in 9 files, 7 ignored, 0 errors, 2 warnings");
});

test.for([
  ["-k", "overlays/prod", "kustomize", "overlays/prod/kustomization.yaml:1:1: error"],
  ["-k", "overlays/prod", "kubectl", "overlays/prod/kustomization.yaml:1:1: error"],
  ["--helm", "charts/mirrors", "helm", "1 object checked in 1 file, 0 ignored, 0 errors"],
])(
  "When %s names %s and %s is installed, validate should check what it makes",
  async ([option = "", path = "", program = "", found = ""]) => {
    const { stderr } = await run(["validate", option, path], program);
    expect(stderr).toContain(found);
  },
);

test("When kustomize is not installed, validate should name the pipe", async () => {
  expect(await run(["validate", "-k", "overlays/prod"])).toEqual({
    stdout: "",
    stderr:
      "hubrelay: overlays/prod is not rendered: there is no kustomize or kubectl on the PATH. Install it, or pipe what it prints elsewhere: kustomize build overlays/prod | hubrelay validate -f -\n",
    exitCode: 2,
  });
});

test("When one of several folders cannot be rendered, validate should report it, and check the others", async () => {
  const { stderr, exitCode } = await run(["validate", "-k", "base", "-k", "overlays/prod"], "kustomize");
  expect(stderr).toContain(
    "base/kustomization.yaml:1:1: error: kustomize failed: no build in base. [RenderFailed]\n    Fix: Correct what it names, until kustomize build base prints manifests; nothing of base is checked before.\n",
  );
  expect(stderr).toContain("overlays/prod/kustomization.yaml:1:1: error");
  expect(exitCode).toBe(1);
});

test("When a side cannot be rendered, diff should say that, and no cost", async () => {
  const sides = ["kustomize:overlays/stage", "kustomize:base"];
  const { stdout, stderr, exitCode } = await run(["diff", ...sides, "-o", "markdown"], "kustomize");
  expect([stderr.match(/\[\w+\]/g), exitCode]).toEqual([["[RenderFailed]"], 1]);
  expect(stdout).toContain("### ❌ hubrelay: 1 error · the cost is not known\n");
  const fixed = await run(["diff", ...sides.toReversed(), "-o", "markdown"], "kustomize");
  expect(fixed).toMatchObject({ stderr: "", exitCode: 0 });
  expect(fixed.stdout).toContain(
    "### hubrelay: the cost is not known, since the old side cannot be rendered\n\n✅ Fixes 1 error:\n",
  );
  expect(fixed.stdout).toMatch(/\n\nNot read: base\/kustomization\.yaml: cannot be read\.\n$/);
  const table = await run(["diff", ...sides.toReversed(), "--require-coverage"], "kustomize");
  expect(table.stdout).toBe("Not read: base/kustomization.yaml: cannot be read.\n");
  expect([table.stderr.match(/\[\w+\]/g), table.exitCode]).toEqual([["[NotCovered]"], 1]);
});

test.for([
  ["-k", "base", "base/kustomization.yaml", "kustomize"],
  ["--helm", "charts/broken", "charts/broken/Chart.yaml", "helm"],
] as const)(
  "When neither side can be rendered with %s %s, diff should exit with 1: nothing was compared",
  async ([option, path, file, program]) => {
    const { stdout, stderr, exitCode } = await run(["diff", ".", ".", option, path], program);
    expect(stderr).toMatch(
      new RegExp(`^${file}:1:1: error: ${program} failed: .* \\[RenderFailed\\]\n {4}Fix: .*\n$`),
    );
    expect(stdout).toBe(`Not read: ${file}: cannot be read.\n`);
    expect(exitCode).toBe(1);
    const json = await run(["diff", ".", ".", option, path, "-o", "json"], program);
    expect(JSON.parse(json.stdout)).toMatchObject({ known: [], fixedIssues: [] });
  },
);

test.for([
  ["render", "-k", "base"],
  ["explain", "quay.io/x/y:1", "-k", "base"],
])("When %s cannot render a folder, it should print nothing else", async (args) => {
  expect(await run(args, "kustomize")).toEqual({
    stdout: "",
    stderr: "hubrelay: kustomize build base failed: no build in base\n",
    exitCode: 2,
  });
});
