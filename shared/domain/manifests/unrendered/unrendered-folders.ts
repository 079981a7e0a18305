import { fieldsOf, isRecord, listOf, ownValue, textOf } from "../../kubernetes/json/values.ts";
import { tryParseJsonStream } from "../positions.ts";
import { parseYamlDocument, YamlDocumentError } from "../yaml-document.ts";

/** Returns the folder of a path; empty for a name. */
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Returns a path that is relative to a folder, without `.` and `..` where they name a folder of the path. */
export function pathFrom(folder: string, relative: string): string {
  const isAbsolute = folder.startsWith("/");
  const steps: string[] = [];
  for (const step of `${folder}/${relative}`.split("/")) {
    if (step === "" || step === ".") continue;
    if (step === ".." && steps.length > 0 && steps.at(-1) !== "..") steps.pop();
    else steps.push(step);
  }
  return `${isAbsolute ? "/" : ""}${steps.join("/")}`;
}

/** Reports whether a path is below a folder; every relative path is below the empty one. */
const isBelow = (path: string, folder: string): boolean =>
  folder === "" ? !path.startsWith("/") : path.startsWith(`${folder}/`);

/*
 * The fields of a kustomization. Source: kubernetes-sigs/kustomize, api/types/kustomization.go, master, 2026-08.
 */

const kustomizationNames = new Set(["kustomization.yaml", "kustomization.yml", "Kustomization"]);

/** Reports whether kustomize reads a file of this name as a kustomization. */
export const isKustomization = (path: string): boolean => kustomizationNames.has(nameOf(path));

/** Fields that leave what hubrelay reads of each manifest as it is in its file. */
const harmless = new Set([
  "apiVersion",
  "kind",
  "metadata",
  "resources",
  "bases",
  "labels",
  "commonLabels",
  "commonAnnotations",
  "sortOptions",
  "buildMetadata",
]);

/** Files and folders with manifests, and with other kustomizations. */
const referenceFields = ["resources", "bases", "components"] as const;
/** Lists of paths of files that are no manifests of a cluster. */
const inputFields = ["patchesStrategicMerge", "transformers", "generators", "validators", "configurations"];
/** Lists of items with the path of such a file. */
const itemFields = ["patches", "patchesJson6902", "replacements", "openapi"];
const pluginFields = ["transformers", "generators", "validators"];
const generatorFields = ["configMapGenerator", "secretGenerator"];

/** A kustomization, with paths as `readKustomization` gets them. */
type Kustomization = Readonly<{
  folder: string;
  file: string;
  /** Files and folders with manifests. */
  references: readonly string[];
  /** Files that are no manifests of a cluster: patches, values and what goes into ConfigMaps. */
  inputs: readonly string[];
  /** kustomize runs programs that these fields name. */
  hasPlugins: boolean;
  /** Nothing but the references decides what is applied. */
  isHarmless: boolean;
}>;

const textsIn = (value: unknown): readonly string[] => listOf(value).flatMap((item) => textOf(item) ?? []);
const itemsIn = (value: unknown): readonly unknown[] => (isRecord(value) ? [value] : listOf(value));

function inputsOf(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const ofGenerators = generatorFields.flatMap((field) =>
    listOf(ownValue(fields, field)).flatMap((generator) => {
      const { files, envs, env } = fieldsOf(generator);
      // KEY=PATH, or a path whose name is the key.
      return [...textsIn(files), ...textsIn(envs), ...textsIn([env])].map((text) =>
        text.replace(/^[^=]*=/, ""),
      );
    }),
  );
  const ofCharts = listOf(fields.helmCharts).flatMap((chart) => {
    const { valuesFile, additionalValuesFiles } = fieldsOf(chart);
    return [...textsIn([valuesFile]), ...textsIn(additionalValuesFiles)];
  });
  return [
    ...inputFields.flatMap((field) => textsIn(ownValue(fields, field))),
    ...itemFields.flatMap((field) =>
      itemsIn(ownValue(fields, field)).flatMap((item) => textsIn([fieldsOf(item).path])),
    ),
    ...ofGenerators,
    ...ofCharts,
  ];
}

/** Returns the kustomization of a file; undefined for another content. */
function readKustomization(file: string, value: unknown): Kustomization | undefined {
  if (!isRecord(value)) return undefined;
  const fields = fieldsOf(value);
  const folder = folderOf(file);
  const from = (path: string) => pathFrom(folder, path);
  return {
    folder,
    file,
    references: referenceFields.flatMap((field) => textsIn(ownValue(fields, field))).map(from),
    inputs: inputsOf(fields).map(from),
    hasPlugins: pluginFields.some((field) => listOf(ownValue(fields, field)).length > 0),
    isHarmless: Object.keys(value).every((field) => harmless.has(field)),
  };
}

/** A folder whose manifests another program makes. */
export type UnrenderedFolder = Readonly<{
  folder: string;
  file: string;
  program: "kustomize" | "helm";
  hasPlugins?: boolean;
}>;

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
    .map(({ folder, file, hasPlugins }) => ({ folder, file, program: "kustomize", hasPlugins }));
}

const pathsIn = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.flatMap(pathsIn)
    : Object.entries(fieldsOf(value)).flatMap(([field, inner]) =>
        field === "path" ? textsIn([inner]) : pathsIn(inner),
      );

/** What a step of a kuttl test expects on the cluster. Source: kudobuilder/kuttl, internal/file/name.go. */
const kuttlExpectation = /^\d+-(?:assert|errors)(?:-[^.]+)?\.yaml$/;

/**
 * Returns the files that are compared with objects of a cluster and not applied to it: what kuttl tests expect, and the
 * references of kubectl cluster-compare: the files that one names, and other templates in its folder. Source:
 * openshift/kube-compare, pkg/compare/referenceV1.go and referenceV2.go.
 */
function comparedFiles(files: readonly File[]): readonly string[] {
  const expectations = files.map(({ file }) => file).filter((file) => kuttlExpectation.test(nameOf(file)));
  const metadata = files.filter(({ file }) => nameOf(file) === "metadata.yaml");
  const references = metadata.flatMap((one) => {
    const folder = folderOf(one.file);
    const { parts } = fieldsOf(contentOf(one.text));
    const paths = pathsIn(listOf(parts)).map((path) => pathFrom(folder, path));
    if (paths.length === 0) return [];
    const others = files.filter(({ file, text }) => isBelow(file, folder) && text.includes("{{"));
    return [...paths, ...others.map(({ file }) => file)];
  });
  return [...expectations, ...references];
}

/**
 * Returns the folders whose manifests kustomize or Helm makes, and the files that are only their input or a template. A kustomization that
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
    ...comparedFiles(files),
    ...kustomizations.flatMap((one) => one.inputs).filter((path) => !manifests.has(path)),
    ...charts.flatMap(({ folder }) =>
      files.map(({ file }) => file).filter((file) => isBelow(file, templatesIn(folder))),
    ),
  ]);
  const names = new Set(files.map(({ file }) => file));
  return { folders: [...charts, ...kustomizationsIn(kustomizations, names)], inputs };
}
