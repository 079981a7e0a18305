import { byCodeUnit } from "../../json/order.ts";
import { type MirrorRule, neverContactSource } from "../input/rules.ts";
import { findEntry } from "../pull/pull-sources.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registry-entry.ts";
import type { MergedMirrors } from "./merge.ts";
import { type MergedSources, mergeSources } from "./sources.ts";

/** The configuration that was applied last. */
export type AppliedFiles = Readonly<{
  /** The entries of registries.conf. */
  entries: readonly RegistryEntry[];
  /** The scopes that policy.json rejects. */
  rejected: ReadonlySet<string>;
}>;

/** Rules by what becomes of them. */
export type SortedRules = Readonly<{
  usable: readonly MirrorRule[];
  /** The valid parts of the others; the source is empty where it cannot be read. */
  leftOut: readonly MirrorRule[];
  /** The sources whose rules contradict each other. */
  conflictingSources: ReadonlySet<string>;
  /** The entries of the base file, which stay anyway. */
  base: readonly RegistryEntry[];
}>;

function keepMirrors(
  groups: readonly MergedMirrors[],
  entries: readonly RegistryEntry[],
  pullFromMirror: string,
): readonly MergedMirrors[] {
  const bySource = new Map(groups.map((group) => [group.source, group]));
  for (const entry of entries) {
    const source = scopeOf(entry);
    const kept = entry.mirrors
      .filter((mirror) => mirror.pullFromMirror === pullFromMirror)
      .map(({ location }) => location);
    const { mirrors = [], neverContact = entry.blocked, rules = [] } = bySource.get(source) ?? {};
    const added = mirrors.filter((mirror) => !kept.includes(mirror));
    if (kept.length > 0)
      bySource.set(source, { source, mirrors: [...kept, ...added], neverContact, rules, kept });
  }
  return [...bySource.values()].sort((a, b) => byCodeUnit(a.source, b.source));
}

/**
 * Merges the rules so that what is left out opens nothing. A source with such a rule keeps its applied mirrors, and stays
 * closed if the rule or the applied file closes it; then the valid mirrors of the rule are used too. A source whose rules
 * contradict each other keeps what was applied, if anything was. While a source cannot be read, every applied one that no
 * rule names stays.
 */
export function mergeAndKeep(
  { usable, leftOut, conflictingSources, base }: SortedRules,
  applied: () => AppliedFiles,
): MergedSources {
  if (leftOut.length === 0) return mergeSources(usable);
  const { entries, rejected } = applied();
  const bySource = Map.groupBy(leftOut, ({ source }) => source);
  const isUnreadable = bySource.delete("");
  const named = new Set([...bySource.keys(), ...usable.map(({ source }) => source), ...base.map(scopeOf)]);
  const kept = entries.filter((entry) => {
    const scope = scopeOf(entry);
    return bySource.has(scope) || (isUnreadable && !named.has(scope) && !rejected.has(scope));
  });
  const mirrored = new Set(kept.filter(({ mirrors }) => mirrors.length > 0).map(scopeOf));

  const closed = new Map<string, MergedMirrors>();
  const close = (source: string, rules: readonly MirrorRule[]) =>
    closed.set(source, { source, mirrors: [], neverContact: true, rules });
  for (const entry of kept) if (entry.blocked) close(scopeOf(entry), []);
  for (const [source, rules] of bySource) {
    const isSettled = conflictingSources.has(source) && mirrored.has(source);
    const closing = isSettled ? [] : rules.filter(({ policy }) => policy === neverContactSource);
    if (closing.length > 0 || findEntry(entries, source)?.blocked) close(source, closing);
    if (isSettled) bySource.delete(source);
  }
  const valid = [...bySource].flatMap(([source, rules]) => (closed.has(source) ? rules : []));
  const merged = mergeSources([...usable, ...valid]);
  return {
    digest: keepMirrors(merged.digest, kept, "digest-only"),
    tag: keepMirrors(merged.tag, kept, "tag-only"),
    any: keepMirrors(merged.any, kept, ""),
    closed: [...closed.values()].sort((a, b) => byCodeUnit(a.source, b.source)),
  };
}
