import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";

/** Odd manifests, which are read as a file of their own. */
export type CorpusCase = Readonly<{ name: string; text: string }>;

/** The cases of `TOPIC.yaml`, of which each begins with the line `--- # NAME`; `expected` is the path of their results. */
export type CorpusTopic = Readonly<{ topic: string; cases: readonly CorpusCase[]; expected: string }>;

const folder = join(import.meta.dirname, "../../corpus");

/** Returns the manifests in `test/corpus` by topic. */
export function corpusTopics(): readonly CorpusTopic[] {
  const files = readdirSync(folder)
    .filter((path) => path.endsWith(".yaml"))
    .sort();
  return files.map((file) => {
    const topic = file.slice(0, -".yaml".length);
    const [, ...parts] = readFileSync(join(folder, file), "utf8").split(/^--- # (\S+)\n/m);
    const cases = parts.flatMap((name, index) =>
      index % 2 === 0 ? [{ name: `${topic}/${name}`, text: parts[index + 1] ?? "" }] : [],
    );
    return { topic, cases, expected: join(folder, `${topic}.expected`) };
  });
}

/** Returns the objects that can be read of a text. */
export function objectsIn(text: string): readonly KubernetesObject[] {
  return readManifests(text, "file.yaml").objects.map(({ object }) => object);
}
