import { messageOf } from "../../credentials/error-text.ts";
import { sentence } from "../../credentials/redact.ts";
import { isRecord, isSameJson, isStringList, ownValue, type UnknownRecord } from "../../json/values.ts";
import { parseToml } from "../../manifests/toml.ts";
import type { RegistriesConf, RegistryEntry, RegistryMirror } from "./registries-conf.ts";

/** The file that machine-config-operator writes on every node without configuration. */
export const defaultTemplate =
  "unqualified-search-registries = ['registry.access.redhat.com', 'docker.io']\n";

/** The template's content, without parsing it. */
export const defaultRegistriesConf: RegistriesConf = {
  unqualifiedSearchRegistries: ["registry.access.redhat.com", "docker.io"],
  shortNameMode: "",
  additionalLayerStoreAuthHelper: "",
  entries: [],
};

/** Reports whether a registries.conf says what nodes have without configuration. */
export function isDefaultRegistriesConf(text: string): boolean {
  const parsed = tryParseRegistriesConf(text);
  if ("problem" in parsed) return false;
  const { entries, unqualifiedSearchRegistries: search = [] } = parsed.conf;
  return entries.length === 0 && isSameJson(search, defaultRegistriesConf.unqualifiedSearchRegistries);
}

/** Thrown inside this file only. */
class WrongType extends Error {}

/** Returns the reader of keys with values of one type, and what it returns for a key that is absent. */
const reading =
  <Value, Absent>(wanted: string, is: (value: unknown) => value is Value, absent: Absent) =>
  (table: UnknownRecord, key: string): Value | Absent => {
    const value = ownValue(table, key);
    if (value === undefined) return absent;
    if (is(value)) return value;
    throw new WrongType(sentence`${key} must be ${wanted}`);
  };

const isTables = (value: unknown): value is readonly UnknownRecord[] =>
  Array.isArray(value) && value.every(isRecord);

const readString = reading("a string", (value) => typeof value === "string", "");
const readBoolean = reading("true or false", (value) => typeof value === "boolean", false);
const readStrings = reading("a list of strings", isStringList, undefined);
const readTables = reading("a list of tables", isTables, []);
const readTable = reading("a table", isRecord, undefined);

function readMirror(table: UnknownRecord): RegistryMirror {
  return {
    location: readString(table, "location"),
    insecure: readBoolean(table, "insecure"),
    pullFromMirror: readString(table, "pull-from-mirror"),
  };
}

function readEntry(table: UnknownRecord): RegistryEntry {
  return {
    prefix: readString(table, "prefix"),
    location: readString(table, "location"),
    insecure: readBoolean(table, "insecure"),
    blocked: readBoolean(table, "blocked"),
    mirrorByDigestOnly: readBoolean(table, "mirror-by-digest-only"),
    mirrors: readTables(table, "mirror").map(readMirror),
  };
}

function readAliases(table: UnknownRecord): Record<string, string> | undefined {
  const aliases = readTable(table, "aliases");
  return aliases && Object.fromEntries(Object.keys(aliases).map((name) => [name, readString(aliases, name)]));
}

/** Source: containers/image v5.36.2, pkg/sysregistriesv2/system_registries_v2.go:949. */
function refuseVersion1(table: UnknownRecord): void {
  const { registries } = table;
  if (!isRecord(registries)) return;
  const used = ["search", "insecure", "block"].filter((name) => isRecord(ownValue(registries, name)));
  if (used.length === 0) return;
  const tables = used.map((name) => `[registries.${name}]`).join(", ");
  const version2 = ["registry", "unqualified-search-registries", "aliases", "short-name-mode"];
  throw new WrongType(
    version2.some((key) => Object.hasOwn(table, key))
      ? sentence`it mixes version 1 (${tables}) and version 2 of the format, which the container runtime refuses: remove the tables of version 1`
      : sentence`it has version 1 of the format (${tables}), which hubrelay does not read: write unqualified-search-registries and [[registry]] tables instead`,
  );
}

function readConf(table: UnknownRecord): RegistriesConf {
  refuseVersion1(table);
  const search = readStrings(table, "unqualified-search-registries");
  const helpers = readStrings(table, "credential-helpers");
  const aliases = readAliases(table);
  return {
    ...(search ? { unqualifiedSearchRegistries: search } : {}),
    ...(helpers ? { credentialHelpers: helpers } : {}),
    shortNameMode: readString(table, "short-name-mode"),
    additionalLayerStoreAuthHelper: readString(table, "additional-layer-store-auth-helper"),
    entries: readTables(table, "registry").map(readEntry),
    ...(aliases ? { aliases } : {}),
  };
}

/**
 * Parses a registries.conf (version 2). Comments and unknown keys are dropped, as decoding and encoding does.
 * Returns the problem, with row and column for invalid TOML, when the file cannot be used; never throws.
 */
export function tryParseRegistriesConf(
  text: string,
): Readonly<{ conf: RegistriesConf } | { problem: string }> {
  try {
    return { conf: readConf(parseToml(text)) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
