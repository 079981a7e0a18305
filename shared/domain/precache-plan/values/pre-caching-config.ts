import {
  type Field,
  knownFields,
  list,
  orNull,
  partial,
  readField,
  text,
  type ValueOf,
} from "../../issues/field.ts";
import { fieldWarning, type Issue, type Problem } from "../../issues/issue.ts";
import { unknownFields } from "../../issues/unknown-fields.ts";
import { fieldsOf, ownValue, typeName, type UnknownRecord } from "../../kubernetes/json/values.ts";
import { type KubernetesObject, namespaceOf } from "../../kubernetes/object.ts";
import { readUpgradeSpec } from "../../precache-model/upgrade-spec.ts";
import { sentence } from "../../text/redact.ts";

const refusedByApi = "The API server refuses it.";

const oneText = orNull(text());
const texts = orNull(list(text(), {}, "a list of texts"));

/** Returns `{name: channel}`, which YAML parses from `- name: channel` without quotes, as `name:channel`. */
function entryOfMap(item: unknown): string | undefined {
  const [entry, ...more] = Object.entries(fieldsOf(item));
  if (!entry || more.length > 0) return undefined;
  const [name, channel] = entry;
  return typeof channel === "string" || typeof channel === "number" ? `${name}:${channel}` : undefined;
}

const packageAndChannel: Field<string | undefined> = {
  ...text(),
  read(item, path, refuse) {
    if (typeof item === "string") return item;
    const entry = entryOfMap(item);
    if (entry === undefined) return refuse(path, item, 'a text "package:channel"');
    refuse(path, item, {
      code: "PackageAsMap",
      severity: "warning",
      message: sentence`Without quotes this is a map; it is read as "${entry}". ${refusedByApi}`,
      remedy: sentence`Write it as "${entry}", in quotes.`,
    });
    return entry;
  },
};

const overrides = partial({
  platformImage: oneText,
  operatorsIndexes: texts,
  operatorsPackagesAndChannels: orNull(list(packageAndChannel, {}, "a list of texts")),
  preCacheImage: oneText,
});

const configSpec = orNull(
  partial({
    overrides: orNull(overrides),
    spaceRequired: oneText,
    excludePrecachePatterns: texts,
    additionalImages: texts,
  }),
);

type Present<One> = Required<NonNullable<ValueOf<One>>>;

/** The values of a PreCachingConfig; absent fields are empty. */
export type ConfigValues = Present<typeof overrides> & Omit<Present<typeof configSpec>, "overrides">;

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

function wrongType(value: unknown, wanted: string): Problem {
  const remedies = {
    "an object": "Indent its fields below it.",
    "a list of texts": "Write it as a list with one item.",
  };
  return {
    code: "WrongType",
    message: sentence`The value is ${typeName(value)}, not ${wanted}. ${refusedByApi}`,
    remedy: ownValue(remedies, wanted) ?? "Put it in quotes.",
  };
}

const specFields = knownFields(configSpec.definition, "spec");

/** Reads a PreCachingConfig as intended; types that the API server refuses are reported. */
export function readPreCachingConfig(object: KubernetesObject): ConfigResult {
  const { value = {}, issues } = readField(object, "spec", object.spec, configSpec, wrongType);
  const { overrides = {}, ...others } = value;
  return {
    values: { ...noConfigValues, ...overrides, ...others },
    issues: [...issues, ...unknownFields(object, specFields)],
  };
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
  const issue = fieldWarning(cgu, "spec.preCachingConfigRef", reference, {
    code: "ReferenceForm",
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
