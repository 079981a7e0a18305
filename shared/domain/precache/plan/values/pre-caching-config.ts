import { sentence } from "../../../credentials/redact.ts";
import { fieldIssue, type Issue, type Problem } from "../../../issues/issue.ts";
import { type KnownFields, unknownFields } from "../../../issues/unknown-fields.ts";
import {
  fieldsOf,
  isRecord,
  isStringList,
  ownValue,
  typeName,
  type UnknownRecord,
} from "../../../json/values.ts";
import { type KubernetesObject, namespaceOf } from "../../../kubernetes/object.ts";

import { readUpgradeSpec } from "../../model/upgrade-spec.ts";

/** The values of a PreCachingConfig; absent fields are empty. */
export type ConfigValues = Readonly<{
  platformImage: string;
  operatorsIndexes: readonly string[];
  operatorsPackagesAndChannels: readonly string[];
  preCacheImage: string;
  excludePrecachePatterns: readonly string[];
  additionalImages: readonly string[];
  spaceRequired: string;
}>;

export const noConfigValues: ConfigValues = {
  platformImage: "",
  operatorsIndexes: [],
  operatorsPackagesAndChannels: [],
  preCacheImage: "",
  excludePrecachePatterns: [],
  additionalImages: [],
  spaceRequired: "",
};

export type ConfigResult = Readonly<{ values: ConfigValues; issues: readonly Issue[] }>;

const refusedByApi = "The API server refuses it.";

/** Returns `{name: channel}`, which YAML parses from `- name: channel` without quotes, as `name:channel`. */
function entryOfMap(item: unknown): string | undefined {
  if (!isRecord(item)) return undefined;
  const [entry, ...more] = Object.entries(item);
  if (!entry || more.length > 0) return undefined;
  const [name, channel] = entry;
  return typeof channel === "string" || typeof channel === "number" ? `${name}:${channel}` : undefined;
}

function reader(object: KubernetesObject) {
  const issues: Issue[] = [];
  const report = (path: string, value: unknown, problem: Problem) =>
    issues.push(fieldIssue(object, path, value, problem));
  const wrongType = (path: string, value: unknown, wanted: string, remedy: string) =>
    report(path, value, {
      code: "WrongType",
      message: sentence`The value is ${typeName(value)}, not ${wanted}. ${refusedByApi}`,
      remedy,
    });

  const text = (fields: UnknownRecord, path: string, field: string): string => {
    const value = ownValue(fields, field) ?? undefined;
    if (value === undefined || typeof value === "string") return value ?? "";
    wrongType(`${path}.${field}`, value, "a text", "Put it in quotes.");
    return "";
  };
  const list = (fields: UnknownRecord, path: string, field: string): readonly string[] => {
    const value = ownValue(fields, field) ?? undefined;
    if (value === undefined || isStringList(value)) return value ?? [];
    if (!Array.isArray(value)) {
      wrongType(`${path}.${field}`, value, "a list of texts", "Write it as a list with one item.");
      return [];
    }
    return value.flatMap((item: unknown, index) => {
      if (typeof item === "string") return [item];
      wrongType(`${path}.${field}[${index}]`, item, "a text", "Put it in quotes.");
      return [];
    });
  };
  const packages = (fields: UnknownRecord, path: string): readonly string[] => {
    const field = "operatorsPackagesAndChannels";
    const value = fields[field];
    if (!Array.isArray(value)) return list(fields, path, field);
    return value.flatMap((item: unknown, index) => {
      if (typeof item === "string") return [item];
      const entry = entryOfMap(item);
      if (entry === undefined) {
        wrongType(`${path}.${field}[${index}]`, item, 'a text "package:channel"', "Put it in quotes.");
        return [];
      }
      report(`${path}.${field}[${index}]`, item, {
        code: "PackageAsMap",
        severity: "warning",
        message: sentence`Without quotes this is a map; it is read as "${entry}". ${refusedByApi}`,
        remedy: sentence`Write it as "${entry}", in quotes.`,
      });
      return [entry];
    });
  };
  return { issues, text, list, packages, wrongType };
}

const knownFields: KnownFields = {
  spec: ["overrides", "spaceRequired", "excludePrecachePatterns", "additionalImages"],
  "spec.overrides": ["platformImage", "operatorsIndexes", "operatorsPackagesAndChannels", "preCacheImage"],
};

/** Reads a PreCachingConfig as intended; types that the API server refuses are reported. */
export function readPreCachingConfig(object: KubernetesObject): ConfigResult {
  const { issues, text, list, packages, wrongType } = reader(object);
  const record = (value: unknown, path: string): UnknownRecord => {
    if (isRecord(value)) return value;
    if ((value ?? undefined) !== undefined)
      wrongType(path, value, "an object", "Indent its fields below it.");
    return {};
  };
  const spec = record(object.spec, "spec");
  const overrides = record(spec.overrides, "spec.overrides");
  const values = {
    platformImage: text(overrides, "spec.overrides", "platformImage"),
    operatorsIndexes: list(overrides, "spec.overrides", "operatorsIndexes"),
    operatorsPackagesAndChannels: packages(overrides, "spec.overrides"),
    preCacheImage: text(overrides, "spec.overrides", "preCacheImage"),
    excludePrecachePatterns: list(spec, "spec", "excludePrecachePatterns"),
    additionalImages: list(spec, "spec", "additionalImages"),
    spaceRequired: text(spec, "spec", "spaceRequired"),
  };
  return { values, issues: [...issues, ...unknownFields(object, knownFields)] };
}

/** A reference to a PreCachingConfig, with the issues of its form. */
export type ConfigReference = Readonly<{ namespace: string; name: string; issues: readonly Issue[] }>;

/**
 * Reads `preCachingConfigRef`. An empty name is not a reference, an empty namespace is the object's own. The forms of
 * the design document, a list with one object and a plain name, are accepted and reported: the API server refuses
 * them.
 */
export function configReferenceOf(cgu: KubernetesObject, reference: unknown): ConfigReference | undefined {
  const isOther = typeof reference === "string" || Array.isArray(reference);
  const first: unknown = Array.isArray(reference) ? reference[0] : reference;
  const { name, namespace }: UnknownRecord = typeof first === "string" ? { name: first } : fieldsOf(first);
  if (typeof name !== "string" || name === "") return undefined;
  const issue = fieldIssue(cgu, "spec.preCachingConfigRef", reference, {
    code: "ReferenceForm",
    severity: "warning",
    message: sentence`It is ${typeName(reference)}; it is read as one object with name and namespace. ${refusedByApi}`,
    remedy: "Write it as an object with the fields name and namespace.",
  });
  return {
    namespace: typeof namespace === "string" && namespace !== "" ? namespace : namespaceOf(cgu),
    name,
    issues: isOther ? [issue] : [],
  };
}

/** Returns the PreCachingConfig that a ClusterGroupUpgrade names, if it is among these. */
export function configsOf(
  cgu: KubernetesObject,
  configs: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  const reference = configReferenceOf(cgu, readUpgradeSpec(cgu).preCachingConfigRef);
  return configs.filter(
    (config) => config.metadata.name === reference?.name && namespaceOf(config) === reference.namespace,
  );
}
