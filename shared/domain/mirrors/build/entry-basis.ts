import type { ListedScope } from "../input/read-image.ts";
import type { MergedSources } from "../merge/sources.ts";
import type { RegistryEntry } from "../registries-conf/registry-entry.ts";

/** What the entries of registries.conf were put together from: all that is needed to say why they are so. */
export type EntryBasis = Readonly<{
  /** The entries of the base file. */
  base: readonly RegistryEntry[];
  merged: MergedSources;
  insecure: readonly ListedScope[];
  /** Those that are applied. */
  blocked: readonly ListedScope[];
}>;
