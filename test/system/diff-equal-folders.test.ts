import { cp, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { aDigestMirrorSet, aPool } from "../support/hub/objects.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const set = (name: string, source: string) =>
  writeManifest(aDigestMirrorSet(name, [{ source, mirrors: ["m.example/x"] }]));

/** Files as repositories have them: valid, invalid, of other programs, and what is in several files. */
const texts: Readonly<Record<string, string>> = {
  "mirrors.yaml": set("site", "quay.io/x"),
  "refused.yaml": set("site", "quay.io/x:v1"),
  "broken.yaml": "kind: [\n",
  "broken-too.yaml": `${set("other", "quay.io/y")}---\na: b: c\n`,
  "template.yaml": "apiVersion: v1\nkind: {{ kind }}\nmetadata: {name: a}\nspec:\n  {{- range }}\n",
  "jinja.yaml": "{% for a in b %}\nkind: ImageDigestMirrorSet\n{% endfor %}\n",
  "nameless.yaml": "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nspec: {}\n",
  "misnamed.yaml": set("No_Name", "quay.io/x"),
  "ldap.yaml": "kind: LDAPSyncConfig\napiVersion: v1\nurl: ldap://x\n",
  "list.yaml": "apiVersion: v1\nkind: List\nitems: [{kind: Image}, 7]\n",
  "pool.yaml": writeManifest(aPool("worker", { annotations: { "hubrelay.dev/max-cost": "x" } })),
  "accepted.yaml": `# hubrelay:accept NoSuchCode\n${set("accepted", "quay.io/z:v1")}`,
  "kustomization.yaml": "resources: [mirrors.yaml]\nnamePrefix: a-\n",
  "Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\n",
  "templates/a.yaml": "kind: {{ x }}\n",
  "install-config.yaml":
    "apiVersion: v1\nbaseDomain: example.org\nmetadata: {name: a}\nimageDigestSources: [{source: 'quay.io/x:v1', mirrors: []}]\n",
};
const files = fc.dictionary(
  fc
    .tuple(fc.constantFrom("", "prod/", "stage/", "stage/deep/"), fc.constantFrom(...Object.keys(texts)))
    .map((parts) => parts.join("")),
  fc.constant(undefined),
  { minKeys: 1, maxKeys: 8 },
);

const contentOf = (path: string) =>
  texts[path.endsWith("templates/a.yaml") ? "templates/a.yaml" : basename(path)] ?? "";

/** Expects that nothing is caused or fixed between a folder and its copy elsewhere. */
async function expectNoDifference(folder: string): Promise<void> {
  const copy = join(await temporaryFolder(), "a", "copy");
  await cp(folder, copy, { recursive: true });
  const { stdout, stderr, exitCode } = await hubrelay([
    "diff",
    folder,
    copy,
    "-o",
    "markdown",
    "--issues",
    "json",
  ]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(stdout).not.toContain("Fixes");
  for (const line of stderr.split("\n").filter((text) => text.startsWith("{")))
    expect(JSON.parse(line).message).not.toContain(copy);
}

test("When a folder is compared with its copy, diff should find nothing that the copy causes or fixes", async () => {
  await fc.assert(
    fc.asyncProperty(files, async (chosen) => {
      const folder = await temporaryFolder();
      for (const path of Object.keys(chosen)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), contentOf(path));
      }
      await expectNoDifference(folder);
    }),
    { numRuns: 12 },
  );
});
