import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { paths } from "../paths.ts";
import { succeeded } from "../run-program.ts";

/** Matches hubrelay's version in names of artefacts, but not the pre-cache workload's version (docs/versions.md). */
const mention =
  /(?<=\bhubrelay-(?:image-|chart-)?|(?<!\/)\bhubrelay:|\/hubrelay:|\/hubrelay\n {4}newTag: )\d+\.\d+\.\d+(?!\.?\d)/g;

/** Returns the versions of hubrelay that a text mentions. */
export function versionsIn(text: string): readonly string[] {
  return [...text.matchAll(mention)].map(([version]) => version);
}

/** Returns the text with `version` in place of each mentioned version of hubrelay. */
export function withVersion(text: string, version: string): string {
  return text.replaceAll(mention, version);
}

/** Returns the text of every committed page and manifest, except the CHANGELOG. The key is the path. */
export async function pagesAndManifests(): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await succeeded("git", ["ls-files", "-z", "*.md", "*.yaml", "*.yml"], {
    cwd: paths.root,
  });
  const files = stdout.split("\0").filter((file) => file !== "" && file !== "CHANGELOG.md");
  const texts = files.map(async (file) => [file, await readFile(join(paths.root, file), "utf8")] as const);
  return new Map(await Promise.all(texts));
}

/** Writes the version to every page and manifest that mentions a version. Returns the paths of the changed files. */
export async function writeVersion(version: string): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [file, text] of await pagesAndManifests()) {
    if (withVersion(text, version) === text) continue;
    await writeFile(join(paths.root, file), withVersion(text, version));
    changed.push(file);
  }
  return changed;
}
