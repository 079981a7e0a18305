import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";

/** A file of odd manifests; `name` is its path without `.yaml`, `expected` that of the file with its result. */
export type CorpusFile = Readonly<{ name: string; text: string; expected: string }>;

const folder = join(import.meta.dirname, "../../corpus");

/**
 * Returns the manifests in `test/corpus` by path, each with the path of the file that holds its expected result.
 * Throws where either of the two is missing.
 */
export function corpusFiles(): readonly CorpusFile[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const named = (suffix: string) =>
    paths.filter((path) => path.endsWith(suffix)).map((path) => path.slice(0, -suffix.length));
  const names = named(".yaml");
  const unpaired = names.filter((name) => !paths.includes(`${name}.expected`));
  const orphans = named(".expected").filter((name) => !names.includes(name));
  if (unpaired.length > 0)
    throw new Error(`Nothing is expected of ${unpaired.join(", ")}; add NAME.expected.`);
  if (orphans.length > 0) throw new Error(`There is no manifest for ${orphans.join(", ")}.`);
  return names.map((name) => ({
    name: name.replaceAll(sep, "/"),
    text: readFileSync(join(folder, `${name}.yaml`), "utf8"),
    expected: join(folder, `${name}.expected`),
  }));
}

/** Returns the objects that can be read of a text. */
export function objectsIn(text: string): readonly KubernetesObject[] {
  return readManifests(text, "file.yaml").objects.map(({ object }) => object);
}
