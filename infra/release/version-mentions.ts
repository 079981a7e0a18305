import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { paths } from "../paths.ts";
import { succeeded } from "../run-program.ts";

/**
 * Matches hubrelay's version in names of artefacts: archives, the image, and the image's tag in a kustomization. The
 * image of the pre-cache workload has its own version (docs/versions.md).
 */
const mention =
  /(?<=\bhubrelay-(?:image-|chart-)?|(?<!\/)\bhubrelay:|\/hubrelay:|\/hubrelay\n {4}newTag: )\d+\.\d+\.\d+(?!\.?\d)/g;

/** Returns the versions of hubrelay in a text. */
export function versionsIn(text: string): readonly string[] {
  return [...text.matchAll(mention)].map(([version]) => version);
}

/** Returns the text with each version replaced. */
export function withVersion(text: string, version: string): string {
  return text.replaceAll(mention, version);
}

/** Returns the text of every committed page and manifest, except the CHANGELOG, by path. */
export async function pagesAndManifests(): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await succeeded("git", ["ls-files", "-z", "*.md", "*.yaml", "*.yml"], {
    cwd: paths.root,
  });
  const files = stdout.split("\0").filter((file) => file !== "" && file !== "CHANGELOG.md");
  const texts = files.map(async (file) => [file, await readFile(join(paths.root, file), "utf8")] as const);
  return new Map(await Promise.all(texts));
}

/** Writes the version of package.json to every file that contains a version; returns the files that changed. */
export async function writeVersion(version: string): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [file, text] of await pagesAndManifests()) {
    if (withVersion(text, version) === text) continue;
    await writeFile(join(paths.root, file), withVersion(text, version));
    changed.push(file);
  }
  return changed;
}
