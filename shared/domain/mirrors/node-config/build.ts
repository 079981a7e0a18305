import type { Issue } from "../../issues/issue.ts";
import type { NodeFile } from "../../machine-config/node-file.ts";
import type { ListedScope } from "../input/read-image.ts";
import type { MirrorRule } from "../input/rules.ts";
import type { Reporting } from "../lint/lint-finding.ts";
import type { AppliedFiles } from "../merge/keep-applied.ts";
import type { MergedSources } from "../merge/merged-sources.ts";
import type { ImagePolicy } from "../policies/image-policy.ts";
import type { AppliedPolicies } from "../policies/keep-policies.ts";
import type { RegistryEntry } from "../registries-conf/registries-conf.ts";

/** What the files are rendered from, which explains their contents. */
export type EntryBasis = Readonly<{
  /** The entries of the base file. */
  base: readonly RegistryEntry[];
  merged: MergedSources;
  insecure: readonly ListedScope[];
  /** The blocked scopes that are applied. */
  blocked: readonly ListedScope[];
  /** The repositories of the release that these do not block. */
  exempt?: readonly string[];
  /** The signature policies that are applied. */
  policies: readonly ImagePolicy[];
}>;

/** A configuration that is built but not yet rendered to files. */
export type Build = Readonly<{
  /** The rules that take effect. */
  rules: readonly MirrorRule[];
  entries: readonly RegistryEntry[];
  /** The inputs of the entries; undefined when no entries were built. */
  basis: EntryBasis | undefined;
  /** registries.conf has configuration; otherwise nodes keep the template. */
  writesRegistries: boolean;
  /** The files of signature policies. */
  policyFiles: readonly NodeFile[];
  /** In the order in which machine-config-operator would report them. */
  issues: readonly Issue[];
  /** Must not be written: nodes could not pull the release payload, or images would bypass a policy. */
  isUnsafe: boolean;
}>;

/** The state before the build. */
export type BuildBase = Readonly<{
  /** The entries of the base file. */
  entries: readonly RegistryEntry[];
  /** Returns what is known to have been applied last. Called only when something is left out. */
  applied: () => AppliedFiles & Readonly<{ policies: AppliedPolicies }>;
  /** How warnings are reported. */
  reporting: Reporting;
}>;
