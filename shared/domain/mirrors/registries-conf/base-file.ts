import { parse } from "@iarna/toml";
import { isTooDeep, maxNesting } from "../../kubernetes/json/nesting.ts";
import {
  fieldsOf,
  isRecord,
  isSameJson,
  isStringList,
  ownValue,
  type UnknownRecord,
} from "../../kubernetes/json/values.ts";
import { firstLineOf, messageOf } from "../../text/error-text.ts";
import { sentence } from "../../text/redact.ts";
import { asLoaded } from "./load-failure.ts";
import type { RegistriesConf, RegistryEntry, RegistryMirror } from "./registries-conf.ts";

/** The error about a text that is not TOML; `line` counts from 1. */
export class TomlError extends Error {
  override readonly name = "TomlError";
  readonly line: number;

  constructor(message: string, line = 1) {
    super(message);
    this.line = line;
  }
}

/** Parses TOML. Throws a `TomlError` that quotes no part of the text, because the text may hold a credential. */
export function parseToml(text: string): UnknownRecord {
  if (isTooDeep(text)) throw new TomlError(`The TOML is nested more than ${maxNesting} levels deep`);
  try {
    return parse(text);
  } catch (error) {
    const { line } = fieldsOf(error);
    // The other lines of the message quote the text, which may hold a credential.
    throw new TomlError(firstLineOf(error).replace(/:$/, ""), typeof line === "number" ? line + 1 : 1);
  }
}

/** The registries.conf that machine-config-operator writes if nothing is configured. */
export const defaultTemplate =
  "unqualified-search-registries = ['registry.access.redhat.com', 'docker.io']\n";

/** The parsed content of `defaultTemplate`. */
export const defaultRegistriesConf: RegistriesConf = {
  unqualifiedSearchRegistries: ["registry.access.redhat.com", "docker.io"],
  shortNameMode: "",
  additionalLayerStoreAuthHelper: "",
  entries: [],
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)/;

class WrongType extends Error {}

/** Returns the value of a key in upper or lower case. As in the container runtime, the exact spelling wins. */
function valueAt(table: UnknownRecord, key: string): unknown {
  const exact = ownValue(table, key);
  const other = exact === undefined && Object.keys(table).find((name) => name.toLowerCase() === key);
  return other ? ownValue(table, other) : exact;
}

const reading =
  <Value, Absent>(wanted: string, is: (value: unknown) => value is Value, absent: Absent) =>
  (table: UnknownRecord, key: string, read = valueAt): Value | Absent => {
    const value = read(table, key);
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
  if (readString(table, "pull-from-mirror") !== "")
    throw new WrongType("pull-from-mirror is set for a registry, and not for one of its mirrors");
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
  const aliases = valueAt(table, "aliases");
  // The container runtime ignores `aliases` if the value is not a table.
  if (!isRecord(aliases)) return undefined;
  return Object.fromEntries(Object.keys(aliases).map((name) => [name, readString(aliases, name, ownValue)]));
}

/** A registries.conf as the container runtime reads it. */
export type ParsedConf = Readonly<{
  conf: RegistriesConf;
  /** The names of the file's version 1 tables; absent for a file of version 2. */
  version1?: string;
}>;

/** Source: containers/image v5.36.2, pkg/sysregistriesv2/system_registries_v2.go:345. */
function readVersion1(table: UnknownRecord): ParsedConf | undefined {
  const registries = readTable(table, "registries") ?? {};
  const [search, insecure, block] = ["search", "insecure", "block"].map((name) => ({
    name,
    list: readStrings(readTable(registries, name) ?? {}, "registries"),
  }));
  const used = [search, insecure, block].flatMap((one) =>
    one?.list ? sentence`[registries.${one.name}]` : [],
  );
  if (used.length === 0) return undefined;
  const blocked = new Set(block?.list?.map(asLoaded));
  const isInsecure = new Set(insecure?.list?.map(asLoaded));
  const entries = [...new Set([...blocked, ...isInsecure])].map((location) => ({
    prefix: "",
    location,
    insecure: isInsecure.has(location),
    blocked: blocked.has(location),
    mirrorByDigestOnly: false,
    mirrors: [],
  }));
  const conf = { ...noConf, ...(search?.list ? { unqualifiedSearchRegistries: search.list } : {}), entries };
  return { conf, version1: used.join(", ") };
}

const noConf: RegistriesConf = { shortNameMode: "", additionalLayerStoreAuthHelper: "", entries: [] };

function readVersion2(table: UnknownRecord): RegistriesConf {
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

function readConf(table: UnknownRecord): ParsedConf {
  const old = readVersion1(table);
  const conf = readVersion2(table);
  if (!old) return { conf };
  // A list of version 2 counts as set even if it is empty.
  if (valueAt(table, "registry") === undefined && isSameJson(conf, noConf)) return old;
  throw new WrongType(
    sentence`it mixes version 1 (${old.version1}) and version 2 of the format, which the container runtime refuses: remove the tables of version 1`,
  );
}

/** Parses a registries.conf as the container runtime does. If the file is not usable, returns the problem. */
export function tryParseRegistriesConf(text: string): ParsedConf | Readonly<{ problem: string }> {
  // The parser accepts control characters in comments and between lines; the container runtime's parser does not.
  if (controls.test(text)) return { problem: "it has a control character" };
  // The parser refuses a byte order mark, and a comment that ends with \r\n; the container runtime's parser reads both.
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  try {
    return readConf(parseToml(plain));
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
