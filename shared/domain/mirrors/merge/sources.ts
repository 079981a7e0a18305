import type { ListedScope } from "../input/read-image.ts";
import type { MirrorRule } from "../input/rules.ts";
import type { RegistryEntry } from "../registries-conf/registry-entry.ts";
import { buildEntries, type Entries } from "./entries.ts";
import { type MergedMirrors, mergeRules } from "./merge.ts";

/** The merged mirrors of every source, by kind of pull. */
export type MergedSources = Readonly<{
  digest: readonly MergedMirrors[];
  tag: readonly MergedMirrors[];
  any: readonly MergedMirrors[];
  /** Sources that stay closed although a rule of them is left out, with the rules that close them. */
  closed: readonly MergedMirrors[];
}>;

export function mergeSources(rules: readonly MirrorRule[]): MergedSources {
  return {
    digest: mergeRules(rules.filter(({ pullKind }) => pullKind === "digest")),
    tag: mergeRules(rules.filter(({ pullKind }) => pullKind === "tag")),
    any: mergeRules(rules.filter(({ pullKind }) => pullKind === "any")),
    closed: [],
  };
}

/** Returns all groups in the order in which nested scopes inherit their mirrors. */
export function allGroups({ digest, tag, any }: MergedSources): readonly MergedMirrors[] {
  return [...digest, ...tag, ...any];
}

/** Returns the entries of these sources and scopes, added to those of a base file. */
export function assembleEntries(
  base: readonly RegistryEntry[],
  merged: MergedSources,
  scopes: Readonly<{
    insecure: readonly ListedScope[];
    blocked: readonly ListedScope[];
    exempt?: readonly string[];
  }>,
): Entries {
  return buildEntries({
    base,
    ...merged,
    insecure: scopes.insecure.map(({ scope }) => scope),
    blocked: scopes.blocked.map(({ scope }) => scope),
    ...(scopes.exempt ? { exempt: scopes.exempt } : {}),
  });
}
