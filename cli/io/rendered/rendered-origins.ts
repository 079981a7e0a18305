import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { fieldsOf, listOf } from "#shared/domain/kubernetes/json/values.ts";
import type { ManifestText } from "#shared/domain/manifests/issue-places.ts";
import type { LocatedObject } from "#shared/domain/manifests/located-object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { isKustomization } from "#shared/domain/manifests/unrendered/unrendered-folders.ts";
import { parseYamlDocument } from "#shared/domain/manifests/yaml-document.ts";
import { splitYamlStream } from "#shared/domain/manifests/yaml-stream.ts";

/** The files from which kustomize or Helm rendered a folder. */
export type RenderedOrigins = Readonly<{
  /** The source file of each document in the output; undefined if unknown. */
  ofDocuments: readonly (string | undefined)[];
  /** The folder's main file, such as `kustomization.yaml`. It is used for objects whose source file is unknown. */
  entry?: string | undefined;
  /** The texts of the source files, and of other files of the folder, such as patches and values. */
  texts: readonly ManifestText[];
}>;

const kustomizeOrigin = /^ {4}config\.kubernetes\.io\/origin: \|\n(?<origin>(?: {6}.*\n)+)/m;
const allKustomizeOrigins = new RegExp(kustomizeOrigin.source, "gm");
const helmSource = /^# Source: [^/\n]+\/(?<path>.+)$/m;

/** Removes the annotations about origins, which hubrelay requests, from kustomize's output. */
export const withoutOrigins = (text: string): string => text.replaceAll(allKustomizeOrigins, "");

function originIn(document: string): string | undefined {
  const { path: template } = helmSource.exec(document)?.groups ?? {};
  if (template !== undefined) return template;
  const { origin = "" } = kustomizeOrigin.exec(document)?.groups ?? {};
  // An object from another repository has no local file.
  const [, path] = /^ {6}repo: /m.test(origin)
    ? []
    : (/^ {6}(?:path|configuredIn): (.+)$/m.exec(origin) ?? []);
  return path;
}

/** Returns the folders outside of `folder` that its kustomization names, also through other kustomizations. */
export async function basesOf(
  folder: string,
  known: Set<string> = new Set([folder]),
): Promise<readonly string[]> {
  const name = (await readdir(folder)).find(isKustomization);
  const text = name && (await readFile(join(folder, name), "utf8").catch(() => undefined));
  const fields = fieldsOf(text && parseYamlDocument(text).value);
  const named = [fields.resources, fields.bases, fields.components].flatMap((list) => listOf(list));
  for (const path of named.flatMap((one) => (typeof one === "string" ? [join(folder, one)] : []))) {
    const isFolder = (await stat(path).catch(() => undefined))?.isDirectory();
    if (isFolder && !known.has(path)) await basesOf(path, known.add(path));
  }
  return [...known].filter((one) => relative(folder, one).startsWith(".."));
}

/** Finds the source file of each document in a program's output. Reads these files and the files in `others`. */
export async function originsOf(
  text: string,
  { fileOf, others }: Readonly<{ fileOf(path: string): string; others: readonly string[] }>,
): Promise<RenderedOrigins> {
  const ofDocuments = splitYamlStream(text)
    .filter(({ isEmpty }) => !isEmpty)
    .map((chunk) => {
      const path = originIn(chunk.text);
      return path === undefined ? undefined : fileOf(path);
    });
  const files = new Set([...others, ...ofDocuments.flatMap((file) => file ?? [])]);
  const texts = await Promise.all(
    [...files].map(async (file) => {
      const content = await readFile(file, "utf8").catch(() => undefined);
      return content === undefined ? [] : [{ file, text: content }];
    }),
  );
  return { ofDocuments, texts: texts.flat() };
}

/** Returns a function that finds the places of a rendered object in its source files. Patches come first. */
export function atOrigins({ ofDocuments, entry, texts }: RenderedOrigins) {
  const objects = texts.flatMap(({ file, text }) => readManifests(text, file, { isInFolder: true }).objects);
  return (located: LocatedObject): readonly LocatedObject[] => {
    const file = ofDocuments[located.document - 1] ?? entry;
    if (file === undefined) return [located];
    const { kind, name } = located.within ?? {
      kind: located.object.kind,
      name: located.object.metadata.name,
    };
    const ofKind = objects.filter(({ object }) => object.kind === kind);
    const own = ofKind.filter((one) => one.file === file);
    // Kustomize may have added a prefix or suffix to the name.
    const origin =
      own.find(({ object }) => object.metadata.name === name) ??
      own.find(({ object }) => name.includes(object.metadata.name));
    // Only the file is known: a Helm template cannot be parsed as manifests, and a generated object has no document.
    if (!origin) return [{ object: located.object, file, document: 0, line: 1, path: [] }];
    if (located.within) {
      const path = located.text ? origin.path : [...origin.path, ...located.path];
      return [{ ...origin, object: located.object, path }];
    }
    const isPatch = (one: LocatedObject) =>
      one.file !== file && one.object.metadata.name === origin.object.metadata.name;
    const { name: ownName, namespace } = located.object.metadata;
    const identity = { name: ownName, ...(namespace ? { namespace } : {}) };
    return [...ofKind.filter(isPatch), origin].map((one) => {
      const { object } = one;
      return { ...one, object: { ...object, metadata: { ...object.metadata, ...identity } } };
    });
  };
}

/** Moves each issue whose line lacks the value to a line with the value: in the same file, a patch or Helm's values. */
export function atValues(
  issues: readonly Issue[],
  { ofDocuments, texts }: RenderedOrigins,
): readonly Issue[] {
  const templates = new Set(ofDocuments);
  return issues.map((issue) => {
    const { file, line = 1, value } = issue;
    if (file === undefined || !templates.has(file) || typeof value !== "string" || value === "") return issue;
    const placed = texts.find((one) => one.file === file)?.text.split("\n")[line - 1];
    if (placed?.includes(value)) return issue;
    for (const { file: other, text } of texts.toSorted(
      (a, b) => Number(b.file === file) - Number(a.file === file),
    )) {
      const lines = text.split("\n");
      const index = lines.findIndex((one) => one.includes(value));
      if (index >= 0 && (other === file || !templates.has(other)))
        return { ...issue, file: other, line: index + 1, column: (lines[index]?.indexOf(value) ?? 0) + 1 };
    }
    return issue;
  });
}
