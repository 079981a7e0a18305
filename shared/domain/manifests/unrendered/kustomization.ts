import { fieldsOf, isRecord, listOf, ownValue, textOf } from "../../json/values.ts";
import { folderOf, nameOf, pathFrom } from "./paths.ts";

/*
 * The fields of a kustomization. Source: kubernetes-sigs/kustomize, api/types/kustomization.go, master, 2026-08.
 */

const names = new Set(["kustomization.yaml", "kustomization.yml", "Kustomization"]);

/** Reports whether kustomize reads a file of this name as a kustomization. */
export const isKustomization = (path: string): boolean => names.has(nameOf(path));

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
const generatorFields = ["configMapGenerator", "secretGenerator"];

/** A kustomization, with paths as `readKustomization` gets them. */
export type Kustomization = Readonly<{
  folder: string;
  file: string;
  /** Files and folders with manifests. */
  references: readonly string[];
  /** Files that are no manifests of a cluster: patches, values and what goes into ConfigMaps. */
  inputs: readonly string[];
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
export function readKustomization(file: string, value: unknown): Kustomization | undefined {
  if (!isRecord(value)) return undefined;
  const fields = fieldsOf(value);
  const folder = folderOf(file);
  const from = (path: string) => pathFrom(folder, path);
  return {
    folder,
    file,
    references: referenceFields.flatMap((field) => textsIn(ownValue(fields, field))).map(from),
    inputs: inputsOf(fields).map(from),
    isHarmless: Object.keys(value).every((field) => harmless.has(field)),
  };
}
