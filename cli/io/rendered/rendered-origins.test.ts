import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { fieldIssue } from "#shared/domain/issues/issue.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { aDigestMirrorSet } from "../../../test/support/hub/objects.ts";
import { temporaryFolder } from "../../../test/support/setup/temporary-folder.ts";
import { readObjects } from "../manifest-source.ts";
import { basesOf, originsOf, withoutOrigins } from "./rendered-origins.ts";

const set = (name: string, source: string) =>
  `# A comment\n${writeManifest(aDigestMirrorSet(name, [{ source, mirrors: ["m.example/x"] }]))}`;
const withOrigin = (text: string, path: string) =>
  text.replace(
    "metadata:\n",
    `metadata:\n  annotations:\n    config.kubernetes.io/origin: |\n      path: ${path}\n`,
  );
const files = {
  "base/a.yaml": set("a", "quay.io/a:v1"),
  "base/b.yaml": set("b", "quay.io/b"),
  "prod/patch.yaml": set("b", "quay.io/b:v2"),
  "chart/templates/c.yaml": "kind: ImageDigestMirrorSet\nspec: {{ .Values.c }}\nx: quay.io/d:v1\n",
  "chart/values.yaml": "c:\n  source: quay.io/c:v1\n",
};

test.for([
  [
    "the manifest of a base",
    withOrigin(set("prod-a", "quay.io/a:v1"), "base/a.yaml"),
    "quay.io/a:v1",
    "base/a.yaml",
    11,
  ],
  [
    "a patch",
    withOrigin(set("prod-b", "quay.io/b:v2"), "base/b.yaml"),
    "quay.io/b:v2",
    "prod/patch.yaml",
    11,
  ],
  [
    "values of a chart",
    `---\n# Source: c/chart/templates/c.yaml\n${set("c", "quay.io/c:v1")}`,
    "quay.io/c:v1",
    "chart/values.yaml",
    2,
  ],
  [
    "a template",
    `---\n# Source: c/chart/templates/c.yaml\n${set("c", "quay.io/d:v1")}`,
    "quay.io/d:v1",
    "chart/templates/c.yaml",
    3,
  ],
  [
    "neither",
    `---\n# Source: c/chart/templates/c.yaml\n${set("c", "quay.io/e:v1")}`,
    "quay.io/e:v1",
    "chart/templates/c.yaml",
    1,
  ],
] as const)(
  "When a rendered value is from %s, its issue should be there",
  async ([, text, source, file, line]) => {
    const cwd = await temporaryFolder();
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, path)), { recursive: true });
      await writeFile(join(cwd, path), content);
    }
    const others = ["prod/patch.yaml", "chart/values.yaml"];
    const origins = await originsOf(text, {
      fileOf: (path) => join(cwd, path),
      others: others.map((path) => join(cwd, path)),
    });
    const { objects, place } = readObjects({
      sources: [{ file: "kustomize:prod", text: withoutOrigins(text), origins }],
      issues: [],
    });
    const [object] = objects;
    expect(object?.metadata.annotations).toBeUndefined();
    const problem = { code: "InvalidSource", message: "", remedy: "" } as const;
    const found = object ? [fieldIssue(object, "spec.imageDigestMirrors[0].source", source, problem)] : [];
    expect(place(found)).toMatchObject([{ file: join(cwd, file), line }]);
  },
);

test("When a kustomization names bases, their folders should be known, and those of their bases, each once", async () => {
  const folder = await temporaryFolder();
  const kustomizations = {
    "overlays/prod":
      "resources: [../../base, own.yaml, https://example.com/x]\ncomponents: [../../parts/tls]\n",
    base: "resources: [../parts/tls]\n",
    "parts/tls": "resources: [../../overlays/prod]\n",
  };
  for (const [below, text] of Object.entries(kustomizations)) {
    await mkdir(join(folder, below), { recursive: true });
    await writeFile(join(folder, below, "kustomization.yaml"), text);
  }
  const found = await basesOf(join(folder, "overlays/prod"));
  expect(found).toEqual(["base", "parts/tls"].map((below) => join(folder, below)));
});
