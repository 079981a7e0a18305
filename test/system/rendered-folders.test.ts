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

const folder = sharedFolder({
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

test.for([
  [
    "overlays/prod",
    "overlays/prod is a kustomization that changes manifests",
    "-k overlays/prod",
    "kustomize build",
  ],
  [
    "overlays/prod/kustomization.yaml",
    "overlays/prod is a kustomization",
    "-k overlays/prod",
    "kustomize build",
  ],
  ["charts/mirrors", "charts/mirrors is a Helm chart", "--helm charts/mirrors", "helm template"],
  [
    "charts/mirrors/templates/mirrors.yaml",
    "charts/mirrors is a Helm chart",
    "--helm charts/mirrors",
    "helm template",
  ],
])(
  "When %s is all that is named, validate should name the pipe",
  async ([path = "", what = "", option = "", pipe = ""]) => {
    const { stderr, exitCode } = await run(["validate", "-f", path]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`hubrelay: nothing to check: ${what}`);
    expect(stderr).toMatch(
      new RegExp(`Render it with ${option}, or pipe it: ${pipe} \\S+ \\| hubrelay validate -f -\n$`),
    );
  },
);

test("When a folder has both beside manifests, validate should check these and leave out patches and templates", async () => {
  const { stderr, exitCode } = await run(["validate", "-f", "."]);
  expect(exitCode).toBe(1);
  expect(stderr.match(/\[\w+\]/g)).toEqual(["[NotRendered]", "[InvalidManifest]", "[NotRendered]"]);
  expect(stderr).toContain(
    'loose/mirrors.yaml:3:1: error: "{{ toYaml .Values.mirrors | indent 2 }}": This is a template ({{ }}), and no YAML before another program renders it. Fix: Render it first, with Helm: helm template CHART | hubrelay validate -f - [InvalidManifest]',
  );
  expect(stderr).toContain("1 object checked in 8 files, 6 ignored, 1 error, 2 warnings");
});

test.for([
  ["-k", "overlays/prod", "kustomize", "kustomize:overlays/prod:10:5: error"],
  ["-k", "overlays/prod", "kubectl", "kustomize:overlays/prod:10:5: error"],
  ["--helm", "charts/mirrors", "helm", "1 object checked in 1 file, 0 ignored, 0 errors"],
])(
  "When %s names %s and %s is installed, validate should check what it makes",
  async ([option = "", path = "", program = "", found = ""]) => {
    const { stderr } = await run(["validate", option, path], program);
    expect(stderr).toContain(found);
  },
);

test("When several kustomizations differ, each should be a cluster, and diff should compare them", async () => {
  const { stderr } = await run(["validate", "-k", "overlays/prod", "-k", "overlays/stage"], "kustomize");
  expect(stderr).toContain("2 clusters by folder or policy, a result for each: prod, stage");
  const { stdout } = await run(["diff", "kustomize:overlays/stage", "kustomize:overlays/stage"], "kustomize");
  expect(stdout).toContain("Nothing changes on any node.");
});

test.for([
  [
    "is not installed",
    [],
    "overlays/prod is not rendered: there is no kustomize or kubectl on the PATH. Install it, or pipe what it prints elsewhere: kustomize build overlays/prod | hubrelay validate -f -",
  ],
  ["fails", ["kustomize"], "kustomize build base failed: Error: no build in base"],
] as const)("When kustomize %s, validate should say so", async ([, programs, message]) => {
  const path = programs.length === 0 ? "overlays/prod" : "base";
  expect(await run(["validate", "-k", path], ...programs)).toEqual({
    stdout: "",
    stderr: `hubrelay: ${message}\n`,
    exitCode: 2,
  });
});
