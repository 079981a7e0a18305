import { indexScopes, isWildcard, ScopeIndex } from "../../images/scope.ts";
import type { Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { sentence } from "../../text/redact.ts";
import type { ListedScope } from "../input/read-image.ts";
import { type MirrorRule, ruleIssue } from "../input/rules.ts";
import { type RegistryEntry, type RegistryMirror, scopeOf } from "../registries-conf/registries-conf.ts";
import { type MergedMirrors, mergeRules } from "./merge.ts";

/** The inputs of the entries, all of them validated. */
export type EntrySources = Readonly<{
  digest: readonly MergedMirrors[];
  tag: readonly MergedMirrors[];
  insecure: readonly string[];
  blocked: readonly string[];
}>;

/**
 * A wildcard source and an entry under it that has no mirrors of its own. machine-config-operator cannot pass the mirrors on
 * and renders nothing at all; here the entry gets the mirrors that the runtime would use.
 */
type NestedWildcard = Readonly<{ source: string; scope: string }>;

export type Entries = Readonly<{
  entries: readonly RegistryEntry[];
  /** Sorted in machine-config-operator's order, since it reports the first one. */
  nestedWildcards: readonly NestedWildcard[];
}>;

type DraftEntry = { -readonly [field in keyof RegistryEntry]: RegistryEntry[field] };

const noMirrors: readonly RegistryMirror[] = [];

function newEntry(scope: string): DraftEntry {
  const wildcard = isWildcard(scope);
  return {
    prefix: wildcard ? scope : "",
    location: wildcard ? "" : scope,
    insecure: false,
    blocked: false,
    mirrorByDigestOnly: false,
    mirrors: noMirrors,
  };
}

/** `rank` is the position among the merged sources. */
type Slot = { readonly entry: DraftEntry; rank: number };

/** The rank of a scope that is not a source. */
const unranked = Number.POSITIVE_INFINITY;

/**
 * Entries in file order, found by scope. Entries and mirrors are flagged when they are added: each further pass would read
 * all names of a large configuration from main memory again.
 */
class EntryIndex {
  readonly entries: DraftEntry[] = [];
  readonly slots = new ScopeIndex<Slot>();
  readonly #insecure: ScopeIndex<true>;
  readonly #blocked: ScopeIndex<true>;
  #sources = 0;

  constructor({ insecure, blocked }: EntrySources) {
    this.#insecure = indexScopes(insecure);
    this.#blocked = indexScopes(blocked);
  }

  findOrAdd(scope: string): Slot {
    const found = this.slots.get(scope);
    if (found) return found;
    const entry = newEntry(scope);
    if (this.#insecure.covers(scope)) entry.insecure = true;
    if (this.#blocked.covers(scope)) entry.blocked = true;
    this.entries.push(entry);
    const slot: Slot = { entry, rank: unranked };
    this.slots.set(scope, slot);
    return slot;
  }

  /** Returns the entry of the next source in the order of merging. */
  source(scope: string): DraftEntry {
    const slot = this.findOrAdd(scope);
    slot.rank = Math.min(slot.rank, this.#sources++);
    return slot.entry;
  }

  mirror(location: string, pullFromMirror: string): RegistryMirror {
    return { location, insecure: this.#insecure.covers(location), pullFromMirror };
  }
}

function addMirrors(index: EntryIndex, merged: readonly MergedMirrors[], pullFromMirror: string): void {
  for (const { source, mirrors, neverContact } of merged) {
    const entry = index.source(source);
    if (neverContact) entry.blocked = true;
    const added = mirrors.map((location) => index.mirror(location, pullFromMirror));
    entry.mirrors = entry.mirrors.length > 0 ? [...entry.mirrors, ...added] : added;
  }
}

/**
 * The part of a nested scope that the runtime appends to a mirror of `source`. A wildcard matches up to the end of the host
 * name; a port after it would become part of the mirror's path, where no pull can work, so that the result is undefined.
 */
function remainder(source: string, scope: string): string | undefined {
  if (!isWildcard(source)) return scope.slice(source.length);
  if (scope.includes(":")) return undefined;
  const slash = scope.indexOf("/");
  return slash === -1 ? "" : scope.slice(slash);
}

/**
 * Only the most precise entry is used for a reference, so an entry that exists only for its flags would hide the mirrors of
 * the scopes around it. It gets the mirrors of the enclosing source that was merged first.
 */
function inheritMirrors({ entries, slots }: EntryIndex): readonly NestedWildcard[] {
  const heirs = entries.filter(({ mirrors }) => mirrors.length === 0);

  const nestedWildcards: (NestedWildcard & { rank: number })[] = [];
  for (const entry of heirs) {
    const scope = scopeOf(entry);
    const [found] = slots.enclosing(scope).toSorted((a, b) => a.rank - b.rank);
    if (!found || found.rank === unranked) continue;
    const source = scopeOf(found.entry);
    if (isWildcard(source)) nestedWildcards.push({ source, scope, rank: found.rank });
    const rest = remainder(source, scope);
    if (rest === undefined) continue;
    entry.mirrors = found.entry.mirrors.map((mirror) => ({
      ...mirror,
      location: mirror.location + rest,
    }));
  }
  return nestedWildcards
    .sort((a, b) => a.rank - b.rank)
    .map(({ source, scope }): NestedWildcard => ({ source, scope }));
}

/**
 * Builds the entries of registries.conf: mirrored sources (digest, tag), then blocked and insecure scopes without an entry,
 * in list order; then nested scopes inherit flags and mirrors.
 *
 * The result is that of openshift/runtime-utils, which compares every scope with every entry; here a scope's possible
 * parents are looked up instead, so that the time grows linearly with the input.
 */
export function buildEntries(sources: EntrySources): Entries {
  const { digest, tag, insecure, blocked } = sources;
  const index = new EntryIndex(sources);
  addMirrors(index, digest, "digest-only");
  addMirrors(index, tag, "tag-only");
  for (const scope of blocked) index.findOrAdd(scope);
  for (const scope of insecure) index.findOrAdd(scope);
  return { entries: index.entries, nestedWildcards: inheritMirrors(index) };
}

/** The merged mirrors of every source, by kind of pull. */
export type MergedSources = Readonly<{
  digest: readonly MergedMirrors[];
  tag: readonly MergedMirrors[];
}>;

/** Merges rules. A rule for both kinds of pulls is merged with those of each, like the two sets that it converts to. */
export function mergeSources(rules: readonly MirrorRule[]): MergedSources {
  return {
    digest: mergeRules(rules.filter(({ pullKind }) => pullKind !== "tag")),
    tag: mergeRules(rules.filter(({ pullKind }) => pullKind !== "digest")),
  };
}

/** Returns all groups in the order in which nested scopes inherit their mirrors. */
export function allGroups({ digest, tag }: MergedSources): readonly MergedMirrors[] {
  return [...digest, ...tag];
}

/** Returns the entries of these sources and scopes. */
export function assembleEntries(
  merged: MergedSources,
  scopes: Readonly<{ insecure: readonly ListedScope[]; blocked: readonly ListedScope[] }>,
): Entries {
  return buildEntries({
    ...merged,
    insecure: scopes.insecure.map(({ scope }) => scope),
    blocked: scopes.blocked.map(({ scope }) => scope),
  });
}

/**
 * Returns the issues of wildcard sources over scopes without mirrors of their own. They are errors, because
 * machine-config-operator refuses such a configuration as a whole; here the scopes get the wildcard's mirrors as the runtime
 * would apply them. One issue for each rule of the wildcard, in machine-config-operator's order.
 */
export function nestedWildcardIssues(
  nested: readonly NestedWildcard[],
  groups: readonly MergedMirrors[],
): readonly Issue[] {
  const scopesOf = Map.groupBy(nested, ({ source }) => source);
  return [...scopesOf].flatMap(([source, found]) => {
    const scopes = found.map(({ scope }) => scope).join(", ");
    const rules = groups.filter((group) => group.source === source).flatMap((group) => group.rules);
    return rules.map((rule) =>
      ruleIssue(rule, "source", source, {
        code: "WildcardSourceNested",
        message: sentence`internal error: mirrorsAdjustedForNestedScope for a wildcard scope ${goQuote(source)}: it covers ${scopes}, blocked or insecure, without mirrors of its own`,
        remedy: sentence`Give ${scopes} mirrors of its own, replace the wildcard with the intended hosts, or change the blocked and insecure lists of Image/cluster.`,
      }),
    );
  });
}
