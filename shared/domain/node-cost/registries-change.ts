import { byCodeUnit } from "../json/values.ts";
import type { RegistriesConf } from "../mirrors/registries-conf/registries-conf.ts";
import { type RegistryEntry, scopeOf } from "../mirrors/registries-conf/registry-entry.ts";
import { compareEntries, entryRemoved, type Finding, findAddedEntry } from "./entry-change.ts";

/** One scope of registries.conf that differs, with its findings, the deciding one first. */
export type ScopeChange = Readonly<{
  scope: string;
  before: RegistryEntry | undefined;
  after: RegistryEntry | undefined;
  findings: readonly [Finding, ...Finding[]];
}>;

/** The search registries for short names, when they differ. */
export type SearchListChange = Readonly<{
  before: readonly string[];
  after: readonly string[];
  finding: Finding;
}>;

export type RegistriesChange = Readonly<{
  searchList: SearchListChange | undefined;
  /** Sorted by scope. */
  scopes: readonly ScopeChange[];
}>;

/** Returns entries by scope; the daemon uses the last of two with the same one. */
function byScope(entries: readonly RegistryEntry[]): ReadonlyMap<string, RegistryEntry> {
  return new Map(entries.map((entry) => [scopeOf(entry), entry]));
}

function compareSearchLists(
  before: readonly string[] = [],
  after: readonly string[] = [],
): SearchListChange | undefined {
  const isPrefix = before.every((registry, index) => after[index] === registry);
  if (isPrefix && before.length === after.length) return undefined;
  const finding: Finding = isPrefix
    ? {
        isSafe: true,
        code: "search-registries-appended",
        text: "Registries are appended to the search list.",
      }
    : {
        isSafe: false,
        code: "search-registries-changed",
        text: "A registry of the search list is removed, moved, or has a new one before it.",
      };
  return { before, after, finding };
}

/** Compares two registries.conf files as the node's daemon does: bytes and order are ignored. */
export function compareRegistries(before: RegistriesConf, after: RegistriesConf): RegistriesChange {
  const old = byScope(before.entries);
  const now = byScope(after.entries);
  const scopes = [...new Set([...old.keys(), ...now.keys()])].sort(byCodeUnit);
  return {
    searchList: compareSearchLists(before.unqualifiedSearchRegistries, after.unqualifiedSearchRegistries),
    scopes: scopes.flatMap((scope): ScopeChange[] => {
      const entries = { before: old.get(scope), after: now.get(scope) };
      const [first, ...rest] = findingsOf(entries);
      return first ? [{ scope, ...entries, findings: [first, ...rest] }] : [];
    }),
  };
}

function findingsOf({ before, after }: Pick<ScopeChange, "before" | "after">): readonly Finding[] {
  if (before && after) return compareEntries(before, after);
  return after ? [findAddedEntry(after)] : [entryRemoved];
}
