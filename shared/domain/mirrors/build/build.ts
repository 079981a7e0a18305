import type { Issue } from "../../issues/issue.ts";
import type { NodeFile } from "../../machine-config/node-file.ts";
import type { ListedScope } from "../input/read-image.ts";
import type { MirrorRule } from "../input/rules.ts";
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

/** A configuration that has been put together but not yet turned into files. */
export type Build = Readonly<{
  /** The rules that take effect. */
  rules: readonly MirrorRule[];
  entries: readonly RegistryEntry[];
  /** What the entries were made from; undefined when there was no use in making any. */
  basis: EntryBasis | undefined;
  /** There is something to configure in registries.conf; otherwise nodes keep the template. */
  writesRegistries: boolean;
  /** The files of signature policies. */
  policyFiles: readonly NodeFile[];
  /** In the order in which machine-config-operator would meet them. */
  issues: readonly Issue[];
  /**
   * It must not be written: nodes would be cut off from the release payload, or images would pass that a policy
   * is there to stop.
   */
  isUnsafe: boolean;
}>;

/** What is drafted on. */
export type BuildBase = Readonly<{
  /** The entries of the base file. */
  entries: readonly RegistryEntry[];
  /** The entries that were applied last, as far as they are known. */
  previous: readonly RegistryEntry[];
}>;
