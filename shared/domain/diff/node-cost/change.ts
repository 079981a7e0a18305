import { hash } from "node:crypto";
import { byCodeUnit } from "../../kubernetes/json/values.ts";
import type { RegistryEntry } from "../../mirrors/registries-conf/registries-conf.ts";
import type { NodeFile } from "../../openshift/machine-config/node-file.ts";
import { type Cost, type CostRule, costRank } from "../../plan/cost.ts";

/** `added` and `removed` refer to the files of a MachineConfig: the node's image may still provide the file. */
type ChangeKind = "added" | "removed" | "changed";

/** A file that only one side of a change has, or that differs. */
export type FileChange = Readonly<{
  path: string;
  kind: ChangeKind;
  before: NodeFile | undefined;
  after: NodeFile | undefined;
}>;

/** Returns the kind of a change by the sides that exist. */
export function changeKind(before: unknown, after: unknown): ChangeKind {
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

function isSameFile(a: NodeFile, b: NodeFile): boolean {
  return a.contents === b.contents && a.mode === b.mode;
}

/** Returns all files that differ in any way, sorted by path. Of two files with one path the last counts. */
export function compareFiles(before: readonly NodeFile[], after: readonly NodeFile[]): readonly FileChange[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Map(after.map((file) => [file.path, file]));
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort(byCodeUnit);
  return paths.flatMap((path): FileChange[] => {
    const was = old.get(path);
    const is = now.get(path);
    if (was && is && isSameFile(was, is)) return [];
    return [{ path, kind: changeKind(was, is), before: was, after: is }];
  });
}

/** The identifying properties of a file's content. */
type FileState = Readonly<{ bytes: number; mode: number; sha256: string }>;

/** Returns null without a file. */
export function fileState(file: NodeFile | undefined): FileState | null {
  if (!file) return null;
  const sha256 = hash("sha256", file.contents);
  return { bytes: Buffer.byteLength(file.contents), mode: file.mode, sha256 };
}

/** The cost of a change for each node, and the rule that decides it. */
export type Verdict = Readonly<{ cost: Cost; rule: CostRule }>;

/** A file that a MachineConfig writes differently. */
export type ChangedFile = Verdict &
  Readonly<{ path: string; kind: ChangeKind; before: FileState | null; after: FileState | null }>;

/** A scope whose settings change: in registries.conf, or in the drop-in that `file` names. */
type ChangedScope = Verdict &
  Readonly<{
    scope: string;
    file?: string;
    kind: ChangeKind;
    before: RegistryEntry | null;
    after: RegistryEntry | null;
  }>;

/** The search registries for short names; `path` is that of registries.conf with the key after `#`. */
type ChangedSearchList = Verdict &
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
