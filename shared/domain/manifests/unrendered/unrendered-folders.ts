import { fieldsOf, isRecord, listOf, ownValue } from "../../kubernetes/json/values.ts";
import { tryParseJsonStream } from "../positions.ts";
import { parseYamlDocument, YamlDocumentError } from "../yaml-document.ts";

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Joins a folder and a relative path, and resolves `.` and `..`. A `..` that leads above the first folder is kept. */
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

const isBelow = (path: string, folder: string): boolean =>
  folder === "" ? !path.startsWith("/") : path.startsWith(`${folder}/`);

const kustomizationNames = new Set(["kustomization.yaml", "kustomization.yml", "Kustomization"]);

/** Reports whether kustomize reads a file of this name as a kustomization. */
export const isKustomization = (path: string): boolean => kustomizationNames.has(nameOf(path));

const references = new Set(["resources", "bases", "components"]);
/** Fields of a kustomization that change only those parts of manifests that hubrelay does not read. */
const harmless = new Set([
  "apiVersion",
  "kind",
  "metadata",
  "labels",
  "commonLabels",
  "commonAnnotations",
  "sortOptions",
  "buildMetadata",
]);
/** Fields that make kustomize run programs. */
const pluginFields = ["transformers", "generators", "validators"];

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return (Array.isArray(value) ? value : Object.values(fieldsOf(value))).flatMap(textsIn);
}

/** A folder whose manifests another program renders. */
export type UnrenderedFolder = Readonly<{
  folder: string;
  file: string;
  program: "kustomize" | "helm";
  hasPlugins?: boolean;
}>;

type File = Readonly<{ file: string; text: string }>;

type Unrendered = Readonly<{
  folders: readonly UnrenderedFolder[];
  /** Files that are not manifests of a cluster: input of kustomize, templates of Helm, files of tests. */
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

function kustomizationsIn(files: readonly File[]): Unrendered {
  const names = new Set(files.map(({ file }) => file));
  const all = files.filter(({ file }) => isKustomization(file));
  const known = new Set([...names, ...all.map(({ file }) => folderOf(file))]);
  const read = all.flatMap(({ file, text }) => {
    const value = contentOf(text);
    if (!isRecord(value)) return [];
    const folder = folderOf(file);
    const fields = Object.entries(value);
    const manifests = fields.flatMap(([name, field]) =>
      references.has(name) ? textsIn(field).map((path) => pathFrom(folder, path)) : [],
    );
    const others = fields.filter(([name]) => !references.has(name) && !harmless.has(name));
    // A generator may name a file as KEY=PATH.
    const inputs = others.flatMap(([, field]) =>
      textsIn(field).map((text) => pathFrom(folder, text.replace(/^[^=]*=/, ""))),
    );
    const isChanging = others.length > 0 || manifests.some((path) => !known.has(path));
    const hasPlugins = pluginFields.some((field) => listOf(ownValue(value, field)).length > 0);
    return [{ folder, file, manifests, inputs, isChanging, hasPlugins }];
  });
  const manifests = new Set(read.flatMap((one) => one.manifests));
  const inputs = read.flatMap((one) => one.inputs).filter((path) => names.has(path) && !manifests.has(path));
  return {
    folders: read
      .filter(({ isChanging }) => isChanging)
      .map(({ folder, file, hasPlugins }) => ({ folder, file, program: "kustomize", hasPlugins })),
    inputs: new Set(inputs),
  };
}

/** The name of the file that describes a Helm chart. */
export const chartFile = "Chart.yaml";

/** Reports whether Helm reads a file of this name as the description of a chart. */
export const isChart = (path: string): boolean => nameOf(path) === chartFile;

function chartsIn(files: readonly File[]): Unrendered {
  const charts = files.flatMap(({ file }) => (isChart(file) ? [{ file, folder: folderOf(file) }] : []));
  const templates = files.filter(({ file }) =>
    charts.some(({ folder }) => isBelow(file, pathFrom(folder, "templates"))),
  );
  const outermost = charts.filter(
    ({ folder }) => !charts.some((other) => other.folder !== folder && isBelow(folder, other.folder)),
  );
  const folders = outermost.filter(({ folder }) => templates.some(({ file }) => isBelow(file, folder)));
  return {
    folders: folders.map((one) => ({ ...one, program: "helm" })),
    inputs: new Set(templates.map(({ file }) => file)),
  };
}

/** Matches names of files with expected states of kuttl tests. Source: kudobuilder/kuttl, internal/file/name.go. */
const kuttlExpectation = /^\d+-(?:assert|errors)(?:-[^.]+)?\.yaml$/;

/**
 * Returns the files that are only compared with objects of a cluster: expectations of kuttl tests, and references of
 * kubectl cluster-compare. Source: openshift/kube-compare, pkg/compare/referenceV1.go and referenceV2.go.
 */
function comparedFiles(files: readonly File[]): readonly string[] {
  const folders = files
    .filter(({ file }) => nameOf(file) === "metadata.yaml")
    .filter(({ text }) => listOf(fieldsOf(contentOf(text)).parts).length > 0)
    .map(({ file }) => folderOf(file));
  return files
    .map(({ file }) => file)
    .filter((file) => kuttlExpectation.test(nameOf(file)) || folders.some((folder) => isBelow(file, folder)));
}

/** Returns the folders that kustomize or Helm must render, and the files that are not manifests of a cluster. */
export function unrenderedFolders(files: readonly File[]): Unrendered {
  const [charts, kustomizations] = [chartsIn(files), kustomizationsIn(files)];
  return {
    folders: [...charts.folders, ...kustomizations.folders],
    inputs: new Set([...charts.inputs, ...kustomizations.inputs, ...comparedFiles(files)]),
  };
}
