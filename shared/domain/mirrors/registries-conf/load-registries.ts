import { sentence } from "../../credentials/redact.ts";
import { byCodeUnit, fieldsOf, isRecord } from "../../json/values.ts";
import {
  isDropIn,
  isSignatureStorage,
  type NodeFile,
  nodePaths,
  textFile,
} from "../../machine-config/node-file.ts";
import { parseYamlDocument, YamlDocumentError } from "../../manifests/yaml-document.ts";
import { defaultTemplate, tryParseRegistriesConf } from "./base-file.ts";
import { asLoaded, loadFailure } from "./load-failure.ts";
import { type RegistriesConf, type RegistryEntry, scopeOf } from "./registries-conf.ts";

/** Returns the names that a file of registries.d defines, or why it is none. */
function definedIn({ contents }: NodeFile): Readonly<{ names: readonly string[] } | { problem: string }> {
  try {
    const { value } = parseYamlDocument(contents);
    if (value !== null && !isRecord(value)) return { problem: "it is not a YAML object" };
    const { docker, "default-docker": ofAll } = fieldsOf(value);
    if ([docker, ofAll].some((field) => !isRecord(field ?? {})))
      return { problem: "docker or default-docker is not a YAML object" };
    const names = Object.keys(fieldsOf(docker)).map((name) => sentence`docker ${name}`);
    return { names: [...(isRecord(ofAll) ? ["default-docker"] : []), ...names] };
  } catch (error) {
    if (!(error instanceof YamlDocumentError)) throw error;
    return { problem: sentence`it is not YAML: ${error.message}` };
  }
}

/**
 * Returns the first file of registries.d that the container runtime refuses: it reads all of them at each pull, and no two
 * may define the same. Source: containers/image v5.36.2,
 * docker/registries_d.go, loadAndMergeConfig.
 */
export function refusedSignatureStorage(
  files: readonly NodeFile[],
): Readonly<{ file: NodeFile; problem: string }> | undefined {
  const all = files.filter(({ path }) => isSignatureStorage(path));
  // The rendered file alone is always valid, and may be large.
  if (all.every(({ path }) => path === nodePaths.sigstoreRegistries)) return undefined;
  const definedBy = new Map<string, string>();
  // The rendered file first: what repeats it is to change.
  const isOther = ({ path }: NodeFile) => Number(path !== nodePaths.sigstoreRegistries);
  for (const file of all.toSorted((a, b) => isOther(a) - isOther(b) || byCodeUnit(a.path, b.path))) {
    const read = definedIn(file);
    if ("problem" in read) return { file, problem: read.problem };
    for (const name of read.names) {
      const other = definedBy.get(name);
      if (other !== undefined) return { file, problem: sentence`${other} defines ${name}, too` };
      definedBy.set(name, file.path);
    }
  }
  return undefined;
}

/** The registries.conf of a node with its drop-ins, as the container runtime loads them. */
export type LoadedRegistries = Readonly<{
  entries: readonly RegistryEntry[];
  /** The search registries for short names. */
  search: readonly string[];
  aliases: Readonly<Record<string, string>>;
  /** Returns the file that an entry is from. */
  fileOf: (entry: RegistryEntry) => NodeFile;
  /** The file that has the search registries. */
  searchFile: NodeFile;
}>;

/** A file of the node that the container runtime refuses, so that it pulls nothing. */
export type RefusedFile = Readonly<{ file: NodeFile; problem: string }>;

type ReadFile = Readonly<{ file: NodeFile; conf: RegistriesConf }>;

/** Reads the content of a file as the container runtime does, or returns the problem. */
export type ContentReader = (contents: string) => ReturnType<typeof tryParseRegistriesConf>;

function readContent(contents: string): ReturnType<ContentReader> {
  const parsed = tryParseRegistriesConf(contents);
  if ("problem" in parsed) return parsed;
  const failure = loadFailure(parsed.conf.entries);
  return failure === undefined ? parsed : { problem: sentence`the container runtime refuses it: ${failure}` };
}

/** Returns a reader that reads each content once: pools share most of their files, and a large one takes long. */
export function readingOnce(): ContentReader {
  const known = new Map<string, ReturnType<ContentReader>>();
  return (contents) => {
    const read = known.get(contents) ?? readContent(contents);
    known.set(contents, read);
    return read;
  };
}

/** The first of several entries with one scope counts in a file, and the last file counts. */
function entriesByScope(files: readonly ReadFile[]): ReadonlyMap<string, readonly [RegistryEntry, NodeFile]> {
  const merged = new Map<string, readonly [RegistryEntry, NodeFile]>();
  for (const { file, conf } of files) {
    for (const entry of conf.entries) {
      const scope = asLoaded(scopeOf(entry));
      if (merged.get(scope)?.[1] !== file) merged.set(scope, [entry, file]);
    }
  }
  return merged;
}

/**
 * Loads registries.conf, or `template` where nodes have none of their own, and its drop-ins in the order of their names. A
 * drop-in replaces whole entries of the same scope, and lists. Returns the first file that the container runtime refuses, of
 * registries.d too.
 * Source: containers/image v5.36.2, pkg/sysregistriesv2/system_registries_v2.go:717 and :1033.
 */
export function tryLoadRegistries(
  files: readonly NodeFile[],
  template = defaultTemplate,
  readOne: ContentReader = readContent,
): LoadedRegistries | RefusedFile {
  const main =
    files.find(({ path }) => path === nodePaths.registriesConf) ??
    textFile(nodePaths.registriesConf, template);
  const dropIns = files.filter(({ path }) => isDropIn(path));
  const read: ReadFile[] = [];
  for (const file of [main, ...dropIns.toSorted((a, b) => byCodeUnit(a.path, b.path))]) {
    const one = readOne(file.contents);
    if ("problem" in one) return { file, problem: one.problem };
    read.push({ file, conf: one.conf });
  }
  const refused = refusedSignatureStorage(files);
  if (refused) return refused;
  const merged = entriesByScope(read);
  const search = read.findLast(({ conf }) => conf.unqualifiedSearchRegistries !== undefined);
  return {
    entries: [...merged.values()].map(([entry]) => entry),
    search: search?.conf.unqualifiedSearchRegistries ?? [],
    aliases: Object.fromEntries(read.flatMap(({ conf }) => Object.entries(conf.aliases ?? {}))),
    fileOf: (entry) => merged.get(asLoaded(scopeOf(entry)))?.[1] ?? main,
    searchFile: search?.file ?? main,
  };
}
