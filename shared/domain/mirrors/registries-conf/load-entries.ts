import { asLoaded } from "./load-failure.ts";
import type { RegistryEntry } from "./registry-entry.ts";

/** The entries of a file as the container runtime keeps them, once it has loaded it (`loadFailure`). */
export function loadEntries(entries: readonly RegistryEntry[]): readonly RegistryEntry[] {
  return entries.map((entry) => ({
    ...entry,
    prefix: asLoaded(entry.prefix),
    location: asLoaded(entry.location),
    mirrors: entry.mirrors.map((mirror) => ({ ...mirror, location: asLoaded(mirror.location) })),
  }));
}
