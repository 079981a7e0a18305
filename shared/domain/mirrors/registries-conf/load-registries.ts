import { byCodeUnit, fieldsOf, isRecord, ownValue } from "../../kubernetes/json/values.ts";
import { parseYamlDocument, YamlDocumentError } from "../../manifests/yaml-document.ts";
import {
  isDropIn,
  isRuntimeDropIn,
  isSignatureStorage,
  type NodeFile,
  nodePaths,
  textFile,
} from "../../openshift/machine-config/node-file.ts";
import { sentence } from "../../text/redact.ts";
import {
  defaultTemplate,
  type ParsedConf,
  parseToml,
  TomlError,
  tryParseRegistriesConf,
} from "./base-file.ts";
import { asLoaded, loadFailure } from "./load-failure.ts";
import { type RegistryEntry, scopeOf } from "./registries-conf.ts";

function isNamespace(value: unknown): boolean {
  const { "use-sigstore-attachments": attachments, ...places } = fieldsOf(value);
  const isScalar = (field: unknown) => typeof field !== "object" || field === null;
  const isBoolean = /^(?:true|false|null|undefined|y|yes|on|n|no|off)$/i.test(String(attachments));
  const known = ["lookaside", "lookaside-staging", "sigstore", "sigstore-staging"];
  return isRecord(value) && isBoolean && known.every((name) => isScalar(ownValue(places, name)));
}

function definedIn({ contents }: NodeFile): Readonly<{ names: readonly string[] } | { problem: string }> {
  try {
    const { value } = parseYamlDocument(contents);
    if (value !== null && !isRecord(value)) return { problem: "it is not a YAML object" };
    const { docker, "default-docker": ofAll } = fieldsOf(value);
    if ([docker, ofAll].some((field) => !isRecord(field ?? {})))
      return { problem: "docker or default-docker is not a YAML object" };
    const wrong = [...Object.entries(fieldsOf(docker)), ["default-docker", ofAll] as const].find(
      ([, namespace]) => !isNamespace(namespace ?? {}),
    );
    if (wrong) return { problem: sentence`${wrong[0]} is not an object, or has a field of another type` };
    const names = Object.keys(fieldsOf(docker)).map((name) => sentence`docker ${name}`);
    return { names: [...(isRecord(ofAll) ? ["default-docker"] : []), ...names] };
  } catch (error) {
    if (!(error instanceof YamlDocumentError)) throw error;
    return { problem: sentence`it is not YAML: ${error.message}` };
  }
}

/**
 * Returns the first file of registries.d that the container runtime refuses, with the problem; undefined if all files
 * are accepted. A file with an entry that an earlier file has is also refused. Source: containers/image v5.36.2,
 * docker/registries_d.go, loadAndMergeConfig.
 */
export function refusedSignatureStorage(
  files: readonly NodeFile[],
): Readonly<{ file: NodeFile; problem: string }> | undefined {
  const all = files.filter(({ path }) => isSignatureStorage(path));
  // If there is no file but the rendered one, nothing is parsed: the rendered file is valid, and may be large.
  if (all.every(({ path }) => path === nodePaths.sigstoreRegistries)) return undefined;
  const definedBy = new Map<string, string>();
  // The rendered file comes first. If another file defines the same name, the other file is reported.
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

/** The content of a node's registries.conf and drop-ins, as the container runtime loads them. */
export type LoadedRegistries = Readonly<{
  entries: readonly RegistryEntry[];
  /** The search registries for short names. */
  search: readonly string[];
  aliases: Readonly<Record<string, string>>;
  fileOf: (entry: RegistryEntry) => NodeFile;
  searchFile: NodeFile;
  /**
   * The file that makes CRI-O refuse ambiguous short names; undefined if CRI-O tries all search registries for them.
   */
  shortNamesRefusedBy: NodeFile | undefined;
  /** The file registries.conf, if it has version 1 of the format, which podman 6 refuses; undefined otherwise. */
  version1: ReadFile | undefined;
}>;

/** A file that machine-config-operator refuses, or a file with which the container runtime pulls no image. */
export type RefusedFile = Readonly<{ file: NodeFile; problem: string }>;

type ReadFile = ParsedConf & Readonly<{ file: NodeFile }>;

/**
 * Returns the content of a file as the container runtime reads it; if the runtime refuses the file, returns the
 * problem.
 */
export type ContentReader = (file: NodeFile) => ReturnType<typeof tryParseRegistriesConf>;

function readContent({ path, contents }: NodeFile): ReturnType<ContentReader> {
  const parsed = tryParseRegistriesConf(contents);
  if ("problem" in parsed) return parsed;
  if (parsed.version1 !== undefined && path !== nodePaths.registriesConf)
    return {
      problem: sentence`it has version 1 of the format (${parsed.version1}), which the container runtime reads in registries.conf only: write unqualified-search-registries and [[registry]] tables instead`,
    };
  const failure = loadFailure(parsed.conf);
  return failure === undefined ? parsed : { problem: sentence`the container runtime refuses it: ${failure}` };
}

/**
 * Returns a reader that parses files with equal contents only once. Pools share most files, and parsing a large file
 * takes long.
 */
export function readingOnce(): ContentReader {
  const known = { main: new Map<string, Content>(), dropIn: new Map<string, Content>() };
  return (file) => {
    const ofKind = known[isDropIn(file.path) ? "dropIn" : "main"];
    const read = ofKind.get(file.contents) ?? readContent(file);
    ofKind.set(file.contents, read);
    return read;
  };
}

type Content = ReturnType<ContentReader>;

/**
 * Returns the entry of each scope, and the entry's file. If several files have the scope, the last file counts; if
 * several entries of this file have the scope, the first entry counts.
 */
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

function shortNameModeIn({ contents }: NodeFile): unknown {
  try {
    return fieldsOf(fieldsOf(parseToml(contents).crio).image).short_name_mode;
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}

/**
 * Returns the drop-in of CRI-O that makes CRI-O refuse ambiguous short names, whatever registries.conf says; undefined
 * if there is none. It is the last drop-in that sets `short_name_mode`, unless the mode is `disabled`. Since 4.21, a
 * drop-in of MCO sets `disabled`. Source: pkg/config/config.go of CRI-O release-1.34,
 * templates/worker/01-worker-container-runtime of MCO release-4.21.
 */
function shortNamesRefusedBy(files: readonly NodeFile[]): NodeFile | undefined {
  const last = files
    .filter(({ path }) => isRuntimeDropIn(path))
    .toSorted((a, b) => byCodeUnit(a.path, b.path))
    .findLast((file) => shortNameModeIn(file) !== undefined);
  return last && shortNameModeIn(last) !== "disabled" ? last : undefined;
}

/**
 * Returns the settings of registries.conf and its drop-ins as CRI-O loads them; if a file is refused, returns the first
 * refused file. `template` is used as registries.conf if `files` has none. A drop-in replaces whole entries and whole
 * lists. Source: containers/image v5.36.2, pkg/sysregistriesv2/system_registries_v2.go:717 and :1033.
 */
export function tryLoadRegistries(
  files: readonly NodeFile[],
  template = defaultTemplate,
  readOne: ContentReader = readContent,
): LoadedRegistries | RefusedFile {
  const refused = files.find(({ refusal }) => refusal !== undefined);
  if (refused?.refusal !== undefined) return { file: refused, problem: refused.refusal };
  const main =
    files.find(({ path }) => path === nodePaths.registriesConf) ??
    textFile(nodePaths.registriesConf, template);
  const dropIns = files.filter(({ path }) => isDropIn(path));
  const read: ReadFile[] = [];
  for (const file of [main, ...dropIns.toSorted((a, b) => byCodeUnit(a.path, b.path))]) {
    const one = readOne(file);
    if ("problem" in one) return { file, problem: one.problem };
    read.push({ ...one, file });
  }
  const storage = refusedSignatureStorage(files);
  if (storage) return storage;
  const merged = entriesByScope(read);
  const search = read.findLast(({ conf }) => conf.unqualifiedSearchRegistries !== undefined);
  return {
    entries: [...merged.values()].map(([entry]) => entry),
    search: (search?.conf.unqualifiedSearchRegistries ?? []).map(asLoaded),
    aliases: Object.fromEntries(read.flatMap(({ conf }) => Object.entries(conf.aliases ?? {}))),
    fileOf: (entry) => merged.get(asLoaded(scopeOf(entry)))?.[1] ?? main,
    searchFile: search?.file ?? main,
    shortNamesRefusedBy: shortNamesRefusedBy(files),
    version1: read.find(({ version1 }) => version1 !== undefined),
  };
}
