import { indexScopes, isWildcard, ScopeIndex } from "../../images/scope.ts";
import { byCodeUnit } from "../../kubernetes/json/values.ts";
import { hasRepeats, type MirrorRule, neverContactSource } from "../input/rules.ts";
import { type RegistryEntry, type RegistryMirror, scopeOf } from "../registries-conf/registries-conf.ts";

type Node = { readonly name: string; readonly before: Set<Node>; readonly after: Set<Node>; placed: boolean };

function buildGraph(chains: readonly (readonly string[])[]): readonly Node[] {
  const nodes = new Map<string, Node>();
  const nodeOf = (name: string): Node => {
    const known = nodes.get(name);
    if (known) return known;
    const node: Node = { name, before: new Set(), after: new Set(), placed: false };
    nodes.set(name, node);
    return node;
  };
  for (const chain of chains) {
    let previous: Node | undefined;
    for (const name of chain) {
      const node = nodeOf(name);
      if (previous) {
        previous.after.add(node);
        node.before.add(previous);
      }
      previous = node;
    }
  }
  return [...nodes.values()].sort((a, b) => byCodeUnit(a.name, b.name));
}

/**
 * Puts the names of all chains into one order that keeps the order of every chain where possible. If every unplaced
 * name waits for another, the alphabetically first is next. The result does not depend on the order of `chains`.
 */
export function placeInOrder(chains: readonly (readonly string[])[]): readonly string[] {
  const nodes = buildGraph(chains);
  const ready = nodes.filter(({ before }) => before.size === 0);
  const order: string[] = [];

  const place = (node: Node): void => {
    node.placed = true;
    order.push(node.name);
    const freed: Node[] = [];
    for (const next of node.after) {
      next.before.delete(node);
      if (next.before.size === 0 && !next.placed) freed.push(next);
    }
    freed.sort((a, b) => byCodeUnit(a.name, b.name));
    for (const next of freed) ready.push(next);
  };

  let nextReady = 0;
  const placeReady = (): void => {
    for (let node = ready[nextReady]; node; node = ready[nextReady]) {
      nextReady++;
      place(node);
    }
  };

  placeReady();
  for (const node of nodes) {
    if (node.placed) continue;
    place(node);
    placeReady();
  }
  return order;
}

/** All mirrors of one source for one kind of pull, in the order of trying. */
export type MergedMirrors = Readonly<{
  source: string;
  mirrors: readonly string[];
  neverContact: boolean;
  rules: readonly MirrorRule[];
}>;

type MergeableRule = Pick<MirrorRule, "source" | "mirrors">;

/** Reports whether the rule has a mirror other than its source. A rule without such a mirror has no effect. */
export function hasRealMirror({ source, mirrors }: MergeableRule): boolean {
  for (const mirror of mirrors) if (mirror !== source) return true;
  return false;
}

/** Returns the mirrors of each rule, followed by the source unless it is among the mirrors. */
export function chainsOf(rules: readonly MergeableRule[]): readonly (readonly string[])[] {
  return rules.map(({ source, mirrors }) => (mirrors.includes(source) ? mirrors : [...mirrors, source]));
}

function forbidsSource({ policy }: MirrorRule): boolean {
  return policy === neverContactSource;
}

function mergeMirrors(source: string, rules: readonly MergeableRule[]): readonly string[] {
  const [first] = rules;
  // A shortcut for nearly every source: a single list without repeats is already in order.
  const alone = rules.length === 1 && first && !hasRepeats(first.mirrors);
  const order = alone ? first.mirrors : placeInOrder(chainsOf(rules));
  // A pull tries the source last anyway; at any other position the source stays in the list as one of its own mirrors.
  return order.at(-1) === source ? order.slice(0, -1) : order;
}

/**
 * Merges all rules for one kind of pull into one list of mirrors for each source, sorted by source.
 * Behaviour: openshift/runtime-utils, with which machine-config-operator renders.
 */
export function mergeRules(rules: readonly MirrorRule[]): readonly MergedMirrors[] {
  const rulesOf = new Map<string, MirrorRule[]>();
  for (const rule of rules) {
    if (!hasRealMirror(rule)) continue;
    const group = rulesOf.get(rule.source);
    if (group) group.push(rule);
    else rulesOf.set(rule.source, [rule]);
  }
  // The sources are sorted only at the end, because rules that are neighbours in the input are neighbours in memory.
  const merged: MergedMirrors[] = [];
  rulesOf.forEach((group, source) => {
    merged.push({
      source,
      mirrors: mergeMirrors(source, group),
      neverContact: group.some(forbidsSource),
      rules: group,
    });
  });
  return merged.sort((a, b) => (a.source < b.source ? -1 : 1));
}

/** The validated inputs from which the entries of registries.conf are built. */
export type EntrySources = Readonly<{
  digest: readonly MergedMirrors[];
  tag: readonly MergedMirrors[];
  insecure: readonly string[];
  blocked: readonly string[];
}>;

/** A wildcard source around a scope without mirrors of its own. machine-config-operator then renders nothing. */
export type NestedWildcard = Readonly<{ source: string; scope: string }>;

export type Entries = Readonly<{
  entries: readonly RegistryEntry[];
  /** In the order in which machine-config-operator finds them, since it reports only the first. */
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

type Slot = { readonly entry: DraftEntry; rank: number };

const unranked = Number.POSITIVE_INFINITY;

/**
 * The entries of the merged configuration. Flags are set when a name is added: a second pass would read every name
 * again, slowly.
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

  /** Returns the entry of a source. Calls must be in the order of merging. */
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

/** Returns the part of a scope that the container runtime appends to a mirror of `source`. */
function remainder(source: string, scope: string): string | undefined {
  if (!isWildcard(source)) return scope.slice(source.length);
  // The port would become part of the mirror's path.
  if (scope.includes(":")) return undefined;
  const slash = scope.indexOf("/");
  return slash === -1 ? "" : scope.slice(slash);
}

/** The container runtime uses only the most precise entry for an image, even if this entry has no mirrors. */
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
 * Builds the entries of registries.conf: first the sources with mirrors, then the other blocked and insecure scopes.
 * Behaviour: openshift/runtime-utils, but in a time that grows linearly with the input.
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

/** Merges rules by kind of pull. A rule for both kinds is merged with the digest rules and with the tag rules. */
export function mergeSources(rules: readonly MirrorRule[]): MergedSources {
  return {
    digest: mergeRules(rules.filter(({ pullKind }) => pullKind !== "tag")),
    tag: mergeRules(rules.filter(({ pullKind }) => pullKind !== "digest")),
  };
}

/** Returns all merged mirrors in the order in which nested scopes inherit them. */
export function allGroups({ digest, tag }: MergedSources): readonly MergedMirrors[] {
  return [...digest, ...tag];
}
