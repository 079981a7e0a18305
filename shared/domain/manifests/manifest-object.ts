import { nameProblems } from "../issues/object-name.ts";
import { fieldsOf, isRecord, ownValue, type UnknownRecord } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import type { YamlPath } from "./yaml-document.ts";

type ManifestProblem = Readonly<{
  /** Set if only the name or namespace is invalid. */
  code?: "InvalidName";
  path: YamlPath;
  value: unknown;
  message: string;
  remedy: string;
}>;

function typeName(value: unknown): string {
  if (value === null || value === undefined) return "empty";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : `a ${typeof value}`;
}

function required(fields: UnknownRecord, path: YamlPath, example: string): ManifestProblem[] {
  const value = ownValue(fields, String(path.at(-1)));
  const missing = value === undefined || value === null || value === "";
  if (!missing) return stringProblem(value, path);
  return [{ path, value, message: "It is missing.", remedy: sentence`Add it, for example ${example}.` }];
}

function stringProblem(value: unknown, path: YamlPath): ManifestProblem[] {
  if (typeof value === "string") return [];
  const isScalar = typeof value !== "object" && value !== undefined;
  const message = sentence`It is ${typeName(value)} and must be a string.`;
  const remedy = isScalar
    ? sentence`Write it in quotes: "${String(value)}".`
    : "Write a string, or remove it.";
  return [{ path, value, message, remedy }];
}

function mapProblems(value: unknown, path: YamlPath): ManifestProblem[] {
  if (isRecord(value))
    return Object.entries(value).flatMap(([key, item]) => stringProblem(item, [...path, key]));
  const message = sentence`It is ${typeName(value)} and must be a map of strings.`;
  return [{ path, value, message, remedy: 'Write it as `key: "value"` lines, or remove it.' }];
}

function listProblems(
  value: unknown,
  path: YamlPath,
  problemsOfItem: (item: unknown, path: YamlPath) => ManifestProblem[],
): ManifestProblem[] {
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => problemsOfItem(item, [...path, index]));
  const message = sentence`It is ${typeName(value)} and must be a list.`;
  return [{ path, value, message, remedy: "Write it as a list, or remove it." }];
}

function ownerProblems(value: unknown, path: YamlPath): ManifestProblem[] {
  const fields = fieldsOf(value);
  return ["apiVersion", "kind", "name", "uid"].flatMap((field) =>
    stringProblem(ownValue(fields, field), [...path, field]),
  );
}

function generationProblems(value: unknown, path: YamlPath): ManifestProblem[] {
  if (Number.isInteger(value)) return [];
  const message = sentence`It is ${typeName(value)} and must be a whole number.`;
  return [{ path, value, message, remedy: "Remove it; the server sets it." }];
}

const metadataChecks: Readonly<Record<string, (value: unknown, path: YamlPath) => ManifestProblem[]>> = {
  namespace: stringProblem,
  uid: stringProblem,
  resourceVersion: stringProblem,
  creationTimestamp: stringProblem,
  generation: generationProblems,
  labels: mapProblems,
  annotations: mapProblems,
  finalizers: (value, path) => listProblems(value, path, stringProblem),
  ownerReferences: (value, path) => listProblems(value, path, ownerProblems),
};

function shapeProblems(value: unknown): readonly ManifestProblem[] {
  if (!isRecord(value)) {
    const message = sentence`It is ${typeName(value)} where a Kubernetes object was expected.`;
    // The value is not shown: if it is a text, it may be part of a private key.
    return [
      { path: [], value: undefined, message, remedy: "Begin it with apiVersion, kind and metadata.name." },
    ];
  }
  const { metadata } = value;
  const isMissing = metadata === undefined || metadata === null;
  const message = sentence`It is ${typeName(metadata)} and must be a map.`;
  const remedy = "Write `metadata:` and `name: example` indented below it.";
  const named =
    isMissing || isRecord(metadata)
      ? required(metadata ?? {}, ["metadata", "name"], "`name: example` below `metadata:`")
      : [{ path: ["metadata"], value: metadata, message, remedy }];
  const rest = Object.entries(metadataChecks).flatMap(([field, check]) => {
    const found = isRecord(metadata) ? ownValue(metadata, field) : undefined;
    return found === undefined || found === null ? [] : check(found, ["metadata", field]);
  });
  return [
    ...required(value, ["apiVersion"], "`apiVersion: config.openshift.io/v1`"),
    ...required(value, ["kind"], "`kind: ImageDigestMirrorSet`"),
    ...named,
    ...rest,
  ];
}

function isKubernetesObject(value: unknown): value is KubernetesObject {
  return shapeProblems(value).length === 0;
}

/** Returns the reasons why a value is not a valid Kubernetes object; empty if it is valid. `spec` is not checked. */
export function manifestProblems(value: unknown): readonly ManifestProblem[] {
  const cleaned = withoutEmptyMetadata(value);
  if (!cleaned) return shapeProblems(value);
  return nameProblems(cleaned).map(({ field, ...problem }) => ({
    code: "InvalidName",
    path: ["metadata", field],
    ...problem,
  }));
}

/** API servers drop null fields of `metadata`. */
function withoutEmptyMetadata(value: unknown): KubernetesObject | undefined {
  if (!isKubernetesObject(value)) return undefined;
  const metadata = Object.fromEntries(Object.entries(value.metadata).filter(([, field]) => field !== null));
  const cleaned: unknown = { ...value, metadata };
  return isKubernetesObject(cleaned) ? cleaned : undefined;
}

/** Returns the value as an object without the null fields of `metadata`; undefined if it is not a valid object. */
export function tryParseManifestObject(value: unknown): KubernetesObject | undefined {
  const object = withoutEmptyMetadata(value);
  return object && nameProblems(object).length === 0 ? object : undefined;
}

function readablePart(field: string, value: unknown): readonly (readonly [string, unknown])[] {
  const check = ownValue(metadataChecks, field);
  if (value === null || !check || check(value, []).length === 0)
    return value === null ? [] : [[field, value]];
  const isMap = field === "labels" || field === "annotations";
  if (!isMap || !isRecord(value)) return [];
  return [[field, Object.fromEntries(Object.entries(value).filter(([, item]) => typeof item === "string"))]];
}

/** Returns an invalid object without its invalid metadata fields; undefined for a value without apiVersion or kind. */
export function tryReadDamagedObject(value: unknown): KubernetesObject | undefined {
  if (!isRecord(value) || typeof value.apiVersion !== "string" || typeof value.kind !== "string")
    return undefined;
  const given = fieldsOf(value.metadata);
  const { name, ...rest } = given;
  const metadata = Object.fromEntries(
    Object.entries(rest).flatMap(([field, found]) => readablePart(field, found)),
  );
  return {
    ...value,
    apiVersion: value.apiVersion,
    kind: value.kind,
    metadata: { ...metadata, name: typeof name === "string" ? name : "" },
  };
}
