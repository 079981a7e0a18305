import { type RegistryEntry, scopeOf } from "./registries-conf.ts";

/* Entries for tests. */

export function anEntry(location: string, fields: Partial<RegistryEntry> = {}): RegistryEntry {
  return {
    prefix: "",
    location,
    insecure: false,
    blocked: false,
    mirrorByDigestOnly: false,
    mirrors: [],
    ...fields,
  };
}

/** Returns a line for each entry: its scope, whether it is blocked, and its mirrors. */
export function showEntries(entries: readonly RegistryEntry[]): readonly string[] {
  return entries.map((entry) => {
    const mirrors = entry.mirrors.map(({ location }) => location);
    return [scopeOf(entry), ...(entry.blocked ? ["blocked"] : []), ...mirrors].join(" ");
  });
}
