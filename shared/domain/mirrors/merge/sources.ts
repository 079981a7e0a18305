import type { ListedScope } from "../input/read-image.ts";
import type { MirrorRule } from "../input/rules.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registry-entry.ts";
import { buildEntries, type Entries } from "./entries.ts";
import { type MergedMirrors, mergeRules } from "./merge.ts";

/** The merged mirrors of every source, by kind of pull. */
export type MergedSources = Readonly<{
  digest: readonly MergedMirrors[];
  tag: readonly MergedMirrors[];
  any: readonly MergedMirrors[];
}>;

export function mergeSources(rules: readonly MirrorRule[]): MergedSources {
  return {
    digest: mergeRules(rules.filter(({ pullKind }) => pullKind === "digest")),
    tag: mergeRules(rules.filter(({ pullKind }) => pullKind === "tag")),
    any: mergeRules(rules.filter(({ pullKind }) => pullKind === "any")),
  };
}

/** Returns all groups in the order in which nested scopes inherit their mirrors. */
export function allGroups({ digest, tag, any }: MergedSources): readonly MergedMirrors[] {
  return [...digest, ...tag, ...any];
}

/** Adds the mirrors of an earlier file for sources whose own rules cannot be used now. */
export function keepSources(
  merged: MergedSources,
  sources: ReadonlySet<string>,
  previous: () => readonly RegistryEntry[],
): MergedSources {
  if (sources.size === 0) return merged;
  const kept = previous().filter((entry) => sources.has(scopeOf(entry)) && entry.mirrors.length > 0);
  const add = (groups: readonly MergedMirrors[], pullFromMirror: string): readonly MergedMirrors[] => {
    const found = kept.flatMap((entry): MergedMirrors[] => {
      const mirrors = entry.mirrors.filter((mirror) => mirror.pullFromMirror === pullFromMirror);
      if (mirrors.length === 0) return [];
      const locations = mirrors.map(({ location }) => location);
      return [{ source: scopeOf(entry), mirrors: locations, neverContact: entry.blocked, rules: [] }];
    });
    return [...groups, ...found].sort((a, b) => (a.source < b.source ? -1 : 1));
  };
  return {
    digest: add(merged.digest, "digest-only"),
    tag: add(merged.tag, "tag-only"),
    any: add(merged.any, ""),
  };
}

/** Returns the entries of these sources and scopes, added to those of a base file. */
export function assembleEntries(
  base: readonly RegistryEntry[],
  merged: MergedSources,
  scopes: Readonly<{ insecure: readonly ListedScope[]; blocked: readonly ListedScope[] }>,
): Entries {
  return buildEntries({
    base,
    ...merged,
    insecure: scopes.insecure.map(({ scope }) => scope),
    blocked: scopes.blocked.map(({ scope }) => scope),
  });
}
