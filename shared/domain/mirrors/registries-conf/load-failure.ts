import { parseDockerReference } from "../../images/docker-reference.ts";
import { isHost } from "../../images/image-reference.ts";
import { isWildcard } from "../../images/scope.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { firstResult } from "../../kubernetes/json/values.ts";
import { sentence } from "../../text/redact.ts";
import type { RegistriesConf, RegistryEntry } from "./registries-conf.ts";

// This code is separate from base-file.ts, because only the functions of mirror-config may include its TOML parser.

/** Returns a location or scope as the container runtime loads it: without trailing slashes. */
export function asLoaded(location: string): string {
  let end = location.length;
  while (location.charAt(end - 1) === "/") end--;
  return location.slice(0, end);
}

/** The valid values of `pull-from-mirror`. An empty value means the same as `all`. */
const pullKinds: ReadonlySet<string> = new Set(["", "all", "digest-only", "tag-only"]);

/** Entries with different prefixes may share a location, but not with different flags. */
function hasConflictingFlags(entries: readonly RegistryEntry[]): boolean {
  const flags = new Map<string, string>();
  return entries.some(({ location, prefix, insecure, blocked }) => {
    const key = asLoaded(location) || asLoaded(prefix);
    const own = `${insecure} ${blocked}`;
    const known = flags.get(key);
    flags.set(key, known ?? own);
    return known !== undefined && known !== own;
  });
}

/** Returns the entries of a file without a `loadFailure`, as the container runtime loads them. */
export function loadEntries(entries: readonly RegistryEntry[]): readonly RegistryEntry[] {
  return entries.map((entry) => ({
    ...entry,
    prefix: asLoaded(entry.prefix),
    location: asLoaded(entry.location),
    mirrors: entry.mirrors.map((mirror) => ({ ...mirror, location: asLoaded(mirror.location) })),
  }));
}

function entryFailure({ prefix, location, mirrorByDigestOnly, mirrors }: RegistryEntry): string | undefined {
  const scope = asLoaded(prefix || location);
  if (asLoaded(location) === "" && !isWildcard(prefix))
    return prefix === ""
      ? "the location of a registry is unset"
      : sentence`${goQuote(scope)} is a prefix without a location: only a prefix of the form *.example.com may lack it`;
  if (isWildcard(scope) && /[/@:]/.test(scope))
    return sentence`wildcarded prefix ${goQuote(scope)} should be in the format *.example.com`;
  for (const { location: mirror, pullFromMirror } of mirrors) {
    if (asLoaded(mirror) === "") return sentence`the location of a mirror of ${goQuote(scope)} is unset`;
    if (mirrorByDigestOnly && pullFromMirror !== "")
      return sentence`${goQuote(scope)} sets mirror-by-digest-only and pull-from-mirror at the same time`;
    if (!pullKinds.has(pullFromMirror))
      return sentence`unsupported pull-from-mirror value ${goQuote(pullFromMirror)} for mirror ${goQuote(mirror)}`;
  }
  return undefined;
}

function aliasFailure(name: string, value: string): string | undefined {
  const short = parseDockerReference(name);
  const isRepository = (read: typeof short) =>
    "reference" in read && read.reference.tag === "" && read.reference.digest === "";
  if ("error" in short || !isRepository(short) || short.reference.registry !== "")
    return sentence`the alias ${goQuote(name)} is not a name without registry, tag and digest`;
  // An empty value removes an alias.
  if (value === "") return undefined;
  const full = parseDockerReference(value);
  return "error" in full || !isRepository(full) || full.reference.registry === ""
    ? sentence`the alias ${goQuote(name)} is for ${goQuote(value)}, which is not a registry with a repository, and no tag or digest`
    : undefined;
}

const shortNameModes = new Set(["", "disabled", "enforcing", "permissive"]);

type Loaded = Pick<RegistriesConf, "entries"> & Partial<RegistriesConf>;

/**
 * Returns the reason why the container runtime refuses to load a file; undefined if it loads the file. Source:
 * containers/image v5.36.2, pkg/sysregistriesv2/system_registries_v2.go:398 and :938, shortnames.go:311.
 */
export function loadFailure({
  entries,
  unqualifiedSearchRegistries: search = [],
  shortNameMode = "",
  aliases = {},
}: Loaded): string | undefined {
  const locations = entries.flatMap(({ prefix, location, mirrors }) => [
    prefix,
    location,
    ...mirrors.map((mirror) => mirror.location),
  ]);
  const withScheme = [...locations, ...search].find((location) => /^https?:\/\//.test(asLoaded(location)));
  if (withScheme) return sentence`invalid location ${goQuote(withScheme)}: URI schemes are not supported`;
  const ofEntries = firstResult(entries, entryFailure);
  if (ofEntries !== undefined) return ofEntries;
  if (hasConflictingFlags(entries)) return "a registry is defined multiple times with conflicting settings";
  const invalid = search.find((registry) => !isHost(asLoaded(registry)));
  if (invalid !== undefined)
    return sentence`invalid entry ${goQuote(invalid)} of unqualified-search-registries: it is not a host`;
  if (!shortNameModes.has(shortNameMode))
    return sentence`short-name-mode is ${goQuote(shortNameMode)}, not disabled, enforcing or permissive`;
  return firstResult(Object.entries(aliases), ([name, value]) => aliasFailure(name, value));
}
