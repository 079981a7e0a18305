import { hostOf } from "../../images/image-scopes.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registry-entry.ts";
import { findByScope } from "./pull-sources.ts";

/** The prefixes that end before a `:`, `/` or `@`, and wildcards of the host. */
function possibleScopes(reference: string): readonly string[] {
  const ends = [...reference.matchAll(/[:/@]/g)].map(({ index }) => index);
  const host = hostOf(reference);
  return [
    reference,
    ...ends.map((end) => reference.slice(0, end)),
    ...[...host.matchAll(/\.[^:@]*/g)].flatMap(([domains]) => wildcardsOf(domains)),
  ];
}

/** Returns `*.a.io` and `*.io` for `.a.io`. */
function wildcardsOf(domains: string): readonly string[] {
  return [...domains.matchAll(/\./g)].map(({ index }) => `*${domains.slice(index)}`);
}

/** Finds the deciding entry like `findEntry`, for many references among the same entries. */
export class EntryLookup {
  readonly #byScope = new Map<string, RegistryEntry>();

  constructor(entries: readonly RegistryEntry[]) {
    for (const entry of entries.toReversed()) this.set(entry);
  }

  /** Replaces the entry of the same scope, if any. */
  set(entry: RegistryEntry): void {
    this.#byScope.set(scopeOf(entry), entry);
  }

  find(reference: string): RegistryEntry | undefined {
    const candidates = possibleScopes(reference).flatMap((scope) => this.#byScope.get(scope) ?? []);
    return findByScope(candidates, scopeOf, reference);
  }
}
