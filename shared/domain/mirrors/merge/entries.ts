import { indexScopes, isWildcard, ScopeIndex } from "../../images/scope.ts";
import { type RegistryEntry, type RegistryMirror, scopeOf } from "../registries-conf/registry-entry.ts";
import type { MergedMirrors } from "./merge.ts";

/** The inputs of the entries, all of them validated. */
export type EntrySources = Readonly<{
  /** The entries of the base file: they keep their position. */
  base: readonly RegistryEntry[];
  digest: readonly MergedMirrors[];
  tag: readonly MergedMirrors[];
  /** Mirrors for both kinds of pulls (ImageSourceTagPolicy). */
  any: readonly MergedMirrors[];
  insecure: readonly string[];
  blocked: readonly string[];
}>;

/**
 * A wildcard source and an entry under it that has no mirrors of its own. machine-config-operator cannot pass the
 * mirrors on and renders nothing at all; here the entry gets those that the runtime would use.
 */
export type NestedWildcard = Readonly<{ source: string; scope: string }>;

export type Entries = Readonly<{
  entries: readonly RegistryEntry[];
  /** Sorted in machine-config-operator's order: it reports the first one. */
  nestedWildcards: readonly NestedWildcard[];
}>;

type DraftMirror = { -readonly [field in keyof RegistryMirror]: RegistryMirror[field] };
type DraftEntry = {
  -readonly [field in keyof Omit<RegistryEntry, "mirrors">]: RegistryEntry[field];
} & { mirrors: DraftMirror[] };

/** Entries in file order, found by scope. Of two base entries with one scope the first is found. */
class EntryIndex {
  readonly entries: DraftEntry[] = [];
  readonly #byScope = new Map<string, DraftEntry>();

  constructor(base: readonly RegistryEntry[]) {
    for (const entry of base) {
      this.#add({ ...entry, mirrors: entry.mirrors.map((mirror) => ({ ...mirror })) });
    }
  }

  #add(entry: DraftEntry): DraftEntry {
    const scope = scopeOf(entry);
    if (!this.#byScope.has(scope)) this.#byScope.set(scope, entry);
    this.entries.push(entry);
    return entry;
  }

  find(scope: string): DraftEntry | undefined {
    return this.#byScope.get(scope);
  }

  findOrAdd(scope: string): DraftEntry {
    const wildcard = isWildcard(scope);
    return (
      this.find(scope) ??
      this.#add({
        prefix: wildcard ? scope : "",
        location: wildcard ? "" : scope,
        insecure: false,
        blocked: false,
        mirrorByDigestOnly: false,
        mirrors: [],
      })
    );
  }
}

function addMirrors(index: EntryIndex, merged: readonly MergedMirrors[], pullFromMirror: string): void {
  for (const { source, mirrors, neverContact } of merged) {
    const entry = index.findOrAdd(source);
    if (neverContact) entry.blocked = true;
    const added = mirrors.map((location) => ({ location, insecure: false, pullFromMirror }));
    entry.mirrors = entry.mirrors.length > 0 ? [...entry.mirrors, ...added] : added;
  }
}

/** A location that the entry already has is not repeated: it would only be tried a second time. */
function addUnlimitedMirrors(index: EntryIndex, merged: readonly MergedMirrors[]): void {
  for (const { source, mirrors } of merged) {
    const entry = index.findOrAdd(source);
    const known = new Set(entry.mirrors.map(({ location }) => location));
    for (const location of mirrors) {
      if (!known.has(location)) entry.mirrors.push({ location, insecure: false, pullFromMirror: "" });
    }
  }
}

function markInsecure(entries: readonly DraftEntry[], scopes: ScopeIndex<true>): void {
  if (scopes.isEmpty) return;
  for (const entry of entries) {
    if (scopes.covers(scopeOf(entry))) entry.insecure = true;
    for (const mirror of entry.mirrors) if (scopes.covers(mirror.location)) mirror.insecure = true;
  }
}

function markBlocked(entries: readonly DraftEntry[], scopes: ScopeIndex<true>): void {
  if (scopes.isEmpty) return;
  for (const entry of entries) if (scopes.covers(scopeOf(entry))) entry.blocked = true;
}

/**
 * The runtime appends the result to a mirror of `source` for a whole nested scope. A wildcard matches up to the end
 * of the host name; a port after it would become part of the mirror's path, where no pull can work, so the result
 * is then undefined.
 */
function remainder(source: string, scope: string): string | undefined {
  if (!isWildcard(source)) return scope.slice(source.length);
  if (scope.includes(":")) return undefined;
  const slash = scope.indexOf("/");
  return slash === -1 ? "" : scope.slice(slash);
}

/**
 * Only the most precise entry is used for a reference, so an entry that exists only for its flags would hide the
 * mirrors of the scopes around it. It gets those of the enclosing source that was merged first.
 */
function inheritMirrors(index: EntryIndex, groups: readonly MergedMirrors[]): readonly NestedWildcard[] {
  const heirs = index.entries.filter(({ mirrors }) => mirrors.length === 0);
  if (heirs.length === 0) return [];
  const rankOf = new Map<string, number>();
  for (const [rank, { source }] of groups.entries()) if (!rankOf.has(source)) rankOf.set(source, rank);
  const ranks = new ScopeIndex(rankOf);

  const nestedWildcards: (NestedWildcard & { rank: number })[] = [];
  for (const entry of heirs) {
    const scope = scopeOf(entry);
    const best = ranks.enclosing(scope).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const source = groups[best]?.source;
    if (source === undefined) continue;
    if (isWildcard(source)) nestedWildcards.push({ source, scope, rank: best });
    const rest = remainder(source, scope);
    if (rest === undefined) continue;
    // Every source has an entry at this point.
    entry.mirrors = index.findOrAdd(source).mirrors.map((mirror) => ({
      ...mirror,
      location: mirror.location + rest,
    }));
  }
  return nestedWildcards
    .sort((a, b) => a.rank - b.rank)
    .map(({ source, scope }): NestedWildcard => ({ source, scope }));
}

/**
 * Builds the entries of registries.conf: mirrored sources (digest, tag, both), then blocked and insecure scopes
 * without an entry, in list order; then nested scopes inherit flags and mirrors.
 *
 * The result is that of openshift/runtime-utils, which compares every scope with every entry; here a scope's
 * possible parents are looked up instead, so that the time grows with the size of the input.
 */
export function buildEntries({ base, digest, tag, any, insecure, blocked }: EntrySources): Entries {
  const index = new EntryIndex(base);
  addMirrors(index, digest, "digest-only");
  addMirrors(index, tag, "tag-only");
  addUnlimitedMirrors(index, any);
  for (const scope of blocked) index.findOrAdd(scope);
  for (const scope of insecure) index.findOrAdd(scope);
  markInsecure(index.entries, indexScopes(insecure));
  markBlocked(index.entries, indexScopes(blocked));
  const nestedWildcards = inheritMirrors(index, [...digest, ...tag, ...any]);
  return { entries: index.entries, nestedWildcards };
}
