import type { ListedScope } from "./read-image.ts";
import type { RegistryEntry } from "./registry-entry.ts";
import type { MergedSources } from "./sources.ts";

/** What the entries of registries.conf were put together from: all that is needed to say why they are so. */
export type EntryBasis = Readonly<{
  /** The entries of the base file. */
  base: readonly RegistryEntry[];
  merged: MergedSources;
  insecure: readonly ListedScope[];
  /** Those that are applied. */
  blocked: readonly ListedScope[];
}>;
