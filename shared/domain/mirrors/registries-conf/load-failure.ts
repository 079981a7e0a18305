import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { isWildcard } from "../../images/scope.ts";
import { type RegistryEntry, scopeOf } from "./registries-conf.ts";

/** Returns a location or scope as the runtime loads it: without trailing slashes. */
export function asLoaded(location: string): string {
  let end = location.length;
  while (location.charAt(end - 1) === "/") end--;
  return location.slice(0, end);
}

/** Empty stands for `all`. */
const pullKinds: ReadonlySet<string> = new Set(["", "all", "digest-only", "tag-only"]);

/** Entries conflict when they have the same location, even with different prefixes, and different flags. */
function hasConflictingFlags(entries: readonly RegistryEntry[]): boolean {
  const flags = new Map<string, string>();
  return entries.some(({ location, prefix, insecure, blocked }) => {
    const key = asLoaded(location === "" ? prefix : location);
    const own = `${insecure} ${blocked}`;
    const known = flags.get(key);
    flags.set(key, known ?? own);
    return known !== undefined && known !== own;
  });
}

/** Returns why the container runtime refuses to load a file with these entries; undefined when it loads it. */
export function loadFailure(entries: readonly RegistryEntry[]): string | undefined {
  const locations = entries.flatMap((entry) => [scopeOf(entry), ...entry.mirrors.map((m) => m.location)]);
  const withScheme = locations.find((location) => /^https?:\/\//.test(location));
  if (withScheme) return sentence`invalid location ${goQuote(withScheme)}: URI schemes are not supported`;
  if (locations.some((location) => asLoaded(location) === "")) return "a location is unset";
  const badWildcard = entries.find(({ prefix }) => isWildcard(prefix) && /[/@:]/.test(prefix));
  if (badWildcard)
    return sentence`wildcarded prefix ${goQuote(badWildcard.prefix)} should be in the format *.example.com`;
  const limited = entries.find(
    ({ mirrorByDigestOnly, mirrors }) => mirrorByDigestOnly && mirrors.some((m) => m.pullFromMirror !== ""),
  );
  if (limited)
    return sentence`${goQuote(scopeOf(limited))} sets mirror-by-digest-only and pull-from-mirror at the same time`;
  const unknown = entries
    .flatMap(({ mirrors }) => mirrors)
    .find(({ pullFromMirror }) => !pullKinds.has(pullFromMirror));
  if (unknown)
    return sentence`unsupported pull-from-mirror value ${goQuote(unknown.pullFromMirror)} for mirror ${goQuote(unknown.location)}`;
  if (hasConflictingFlags(entries)) return "a registry is defined multiple times with conflicting settings";
  return undefined;
}

/** Returns the entries of a file as the container runtime loads them (unless there is a `loadFailure`). */
export function loadEntries(entries: readonly RegistryEntry[]): readonly RegistryEntry[] {
  return entries.map((entry) => ({
    ...entry,
    prefix: asLoaded(entry.prefix),
    location: asLoaded(entry.location),
    mirrors: entry.mirrors.map((mirror) => ({ ...mirror, location: asLoaded(mirror.location) })),
  }));
}
