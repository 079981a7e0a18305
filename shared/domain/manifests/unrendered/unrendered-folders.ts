import { fieldsOf, isRecord } from "../../json/values.ts";
import { tryParseJsonStream } from "../json-stream.ts";
import { parseYamlDocument, YamlDocumentError } from "../yaml-document.ts";
import { isKustomization, type Kustomization, readKustomization } from "./kustomization.ts";
import { folderOf, isBelow, nameOf } from "./paths.ts";

/** A folder whose manifests another program makes. */
export type UnrenderedFolder = Readonly<{ folder: string; file: string; program: "kustomize" | "helm" }>;

type File = Readonly<{ file: string; text: string }>;

type Unrendered = Readonly<{
  folders: readonly UnrenderedFolder[];
  /** Files that are no manifests of a cluster. */
  inputs: ReadonlySet<string>;
}>;

function contentOf(text: string): unknown {
  try {
    return tryParseJsonStream(text)?.[0]?.value ?? parseYamlDocument(text).value;
  } catch (error) {
    if (error instanceof YamlDocumentError) return undefined;
    throw error;
  }
}

/** The file that describes a chart. */
export const chartFile = "Chart.yaml";

/** Reports whether Helm reads a file of this name as the description of a chart. */
export const isChart = (path: string): boolean => nameOf(path) === chartFile;

const templatesIn = (folder: string): string => (folder === "" ? "templates" : `${folder}/templates`);

/** Returns the charts that have templates, without those that are part of another one. */
function chartsIn(files: readonly File[]): readonly UnrenderedFolder[] {
  const charts = files.filter(({ file, text }) => {
    if (!isChart(file)) return false;
    const { name, version } = fieldsOf(contentOf(text));
    return name !== undefined && version !== undefined;
  });
  const folders = charts.map(({ file }) => folderOf(file));
  return charts
    .map(({ file }) => ({ folder: folderOf(file), file, program: "helm" as const }))
    .filter(({ folder }) => files.some(({ file }) => isBelow(file, templatesIn(folder))))
    .filter(({ folder }) => !folders.some((other) => other !== folder && isBelow(folder, other)));
}

/** Returns the kustomizations that make other manifests of those in the files, without those that others refer to. */
function kustomizationsIn(
  all: readonly Kustomization[],
  files: ReadonlySet<string>,
): readonly UnrenderedFolder[] {
  const byFolder = new Map(all.map((one) => [one.folder, one]));
  const changes = (one: Kustomization, seen: ReadonlySet<Kustomization>): boolean => {
    if (!one.isHarmless) return true;
    return one.references.some((path) => {
      if (files.has(path)) return false;
      const base = byFolder.get(path);
      // What is not among the files is elsewhere: a folder that was not read, or another repository.
      return !base || (!seen.has(base) && changes(base, new Set([...seen, base])));
    });
  };
  const changing = all.filter((one) => changes(one, new Set([one])));
  const referred = new Set(changing.flatMap(({ references }) => references));
  return changing
    .filter(({ folder }) => !referred.has(folder))
    .map(({ folder, file }) => ({ folder, file, program: "kustomize" }));
}

/**
 * Returns the folders whose manifests kustomize or Helm makes, and the files that are only their input. A kustomization that
 * lists files as they are is none of them.
 */
export function unrenderedFolders(files: readonly File[]): Unrendered {
  const kustomizations = files.flatMap(({ file, text }) => {
    const value = isKustomization(file) ? contentOf(text) : undefined;
    return isRecord(value) ? (readKustomization(file, value) ?? []) : [];
  });
  const charts = chartsIn(files);
  const manifests = new Set(kustomizations.flatMap(({ references }) => references));
  const inputs = new Set([
    ...kustomizations.flatMap((one) => one.inputs).filter((path) => !manifests.has(path)),
    ...charts.flatMap(({ folder }) =>
      files.map(({ file }) => file).filter((file) => isBelow(file, templatesIn(folder))),
    ),
  ]);
  const names = new Set(files.map(({ file }) => file));
  return { folders: [...charts, ...kustomizationsIn(kustomizations, names)], inputs };
}
