import { byCodeUnit } from "../../json/values.ts";
import { type MirrorRule, neverContactSource } from "../input/rules.ts";
import { EntryLookup } from "../pull/pull-sources.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";
import { buildEntries, newEntry } from "./entries.ts";
import type { MergedMirrors } from "./merge.ts";
import { type MergedSources, mergeSources } from "./merged-sources.ts";

/** The configuration that was applied last. */
export type AppliedFiles = Readonly<{
  /** The entries of registries.conf. */
  entries: readonly RegistryEntry[];
  /** The scopes that policy.json rejects. */
  rejected: ReadonlySet<string>;
  /** The scopes that it accepts without a signature. */
  accepted: ReadonlySet<string>;
}>;

/** Rules by what becomes of them, and the other scopes that get entries. */
export type SortedRules = Readonly<{
  usable: readonly MirrorRule[];
  /** The valid parts of the others; the source is empty where it cannot be read. */
  leftOut: readonly MirrorRule[];
  /** The sources whose rules contradict each other. */
  conflictingSources: ReadonlySet<string>;
  base: readonly RegistryEntry[];
  insecure: readonly string[];
  blocked: readonly string[];
}>;

function keepMirrors(
  groups: readonly MergedMirrors[],
  entries: Iterable<RegistryEntry>,
  pullFromMirror: string,
): readonly MergedMirrors[] {
  const bySource = new Map(groups.map((group) => [group.source, group]));
  for (const entry of entries) {
    const source = scopeOf(entry);
    const kept = entry.mirrors
      .filter((mirror) => mirror.pullFromMirror === pullFromMirror)
      .map(({ location }) => location);
    const { mirrors = [], neverContact = false, rules = [] } = bySource.get(source) ?? {};
    const added = mirrors.filter((mirror) => !kept.includes(mirror));
    if (kept.length > 0)
      bySource.set(source, { source, mirrors: [...kept, ...added], neverContact, rules, kept });
  }
  return [...bySource.values()].sort((a, b) => byCodeUnit(a.source, b.source));
}

/**
 * Merges the rules so that what is left out opens nothing. A source with such a rule keeps its applied mirrors, and stays
 * closed if the rule or the applied file closes it; then the valid mirrors of the rule are used too. A source whose rules
 * contradict each other keeps what was applied, if anything was. While a source cannot be read, every applied one that
 * nothing names stays.
 */
export function mergeAndKeep(sorted: SortedRules, applied: () => AppliedFiles): MergedSources {
  const { usable, leftOut, conflictingSources, base, insecure, blocked } = sorted;
  if (leftOut.length === 0) return mergeSources(usable);
  const { entries } = applied();
  const blockedBefore = new EntryLookup(entries);
  const withoutLeftOut = buildEntries({ base, ...mergeSources(usable), insecure, blocked });
  const blockedNow = new EntryLookup(withoutLeftOut.entries);

  const bySource = Map.groupBy(leftOut, ({ source }) => source);
  const isUnreadable = bySource.delete("");
  const named = new Set([...usable.map(({ source }) => source), ...base.map(scopeOf), ...blocked]);
  const isInsecure = new Set(insecure);
  const isKept = (entry: RegistryEntry): boolean => {
    const scope = scopeOf(entry);
    if (bySource.has(scope) || !isUnreadable || named.has(scope)) return bySource.has(scope);
    return !isInsecure.has(scope) || (entry.blocked && !blockedNow.find(scope)?.blocked);
  };
  const kept = new Map(entries.filter(isKept).map((entry) => [scopeOf(entry), entry]));

  const sources = new Map<string, MergedMirrors>();
  const close = (source: string, rules: readonly MirrorRule[]) => {
    sources.set(source, { source, mirrors: [], neverContact: true, rules });
    blockedNow.set({ ...newEntry(source), blocked: true });
  };
  // Outer sources first: what they close need not be closed again.
  const all = new Set([...bySource.keys(), ...kept.keys()]);
  for (const source of [...all].sort((a, b) => a.length - b.length)) {
    const entry = kept.get(source);
    const rules = bySource.get(source);
    const now = blockedNow.find(source);
    const isBlocked = now?.blocked === true;
    // The applied entry is kept as one of its own, which the block around it would not reach.
    const staysOwn = entry?.blocked && !(isBlocked && scopeOf(now) === source);
    if (!rules) {
      // Without mirrors nothing of it is kept, and the block around it applies.
      const isAdded = (entry?.mirrors ?? []).length > 0;
      if (staysOwn || (isBlocked && isAdded)) close(source, []);
      continue;
    }
    const isSettled = conflictingSources.has(source) && (entry?.mirrors ?? []).length > 0;
    const closing = isSettled ? [] : rules.filter(({ policy }) => policy === neverContactSource);
    const wouldOpen = staysOwn || (blockedBefore.find(source)?.blocked && !isBlocked);
    if (closing.length > 0 || wouldOpen) close(source, closing);
    if (isSettled) bySource.delete(source);
  }
  const valid = [...bySource].flatMap(([source, rules]) => (sources.has(source) ? rules : []));
  const merged = mergeSources([...usable, ...valid]);
  return {
    digest: keepMirrors(merged.digest, kept.values(), "digest-only"),
    tag: keepMirrors(merged.tag, kept.values(), "tag-only"),
    any: keepMirrors(merged.any, kept.values(), ""),
    closed: [...sources.values()].sort((a, b) => byCodeUnit(a.source, b.source)),
  };
}
