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
import type { Issue, Problem } from "../../issues/issue.ts";
import { unknownFields } from "../../issues/unknown-fields.ts";
import { fieldsOf, ownValue, typeName } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";

const refusedByApi = "The API server refuses it.";

const oneText = orNull(text());
const texts = orNull(list(text(), {}, "a list of texts"));

/** Returns `name:channel` for a map with one entry, which YAML makes from `- name: channel` without quotes. */
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

/** The values of a PreCachingConfig. An absent field is an empty text or an empty list. */
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

/** Returns the values of a PreCachingConfig, with an issue for each value that the API server refuses. */
export function readPreCachingConfig(object: KubernetesObject): ConfigResult {
  const { value = {}, issues } = readField(object, "spec", object.spec, configSpec, wrongType);
  const { overrides = {}, ...others } = value;
  return {
    values: { ...noConfigValues, ...overrides, ...others },
    issues: [...issues, ...unknownFields(object, specFields)],
  };
}
