import { byCodeUnit } from "../json/values.ts";
import type { RegistryEntry } from "../mirrors/registries-conf/registry-entry.ts";
import { type Cost, type CostRule, costRank } from "./cost.ts";
import type { ChangeKind, FileState } from "./file-change.ts";

/** The cost of a change for each node, and the rule that decides it. */
export type Verdict = Readonly<{ cost: Cost; rule: CostRule }>;

/** A file that a MachineConfig writes differently. */
export type ChangedFile = Verdict &
  Readonly<{ path: string; kind: ChangeKind; before: FileState | null; after: FileState | null }>;

/** A scope whose settings change: in registries.conf, or in the drop-in that `file` names. */
export type ChangedScope = Verdict &
  Readonly<{
    scope: string;
    file?: string;
    kind: ChangeKind;
    before: RegistryEntry | null;
    after: RegistryEntry | null;
  }>;

/** The search registries for short names; `path` is that of registries.conf with the key after `#`. */
export type ChangedSearchList = Verdict &
  Readonly<{ path: string; kind: "changed"; before: readonly string[]; after: readonly string[] }>;

/** One difference. */
export type Change = ChangedFile | ChangedScope | ChangedSearchList;

function compareNames(a: Change, b: Change): number {
  if ("path" in a) return "path" in b ? byCodeUnit(a.path, b.path) : -1;
  return "path" in b ? 1 : byCodeUnit(a.scope, b.scope);
}

/** Sorts by cost, the highest first; with equal cost files before scopes, then by name. */
export function byCostThenName(a: Change, b: Change): number {
  return costRank(b.cost) - costRank(a.cost) || compareNames(a, b);
}
