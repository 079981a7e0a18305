import { hash } from "node:crypto";
import { byCodeUnit } from "../json/values.ts";
import type { NodeFile } from "../machine-config/node-file.ts";

/** `added` and `removed` refer to the files of a MachineConfig: the node's image may still provide the file. */
export type ChangeKind = "added" | "removed" | "changed";

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
export type FileState = Readonly<{ bytes: number; mode: number; sha256: string }>;

/** Returns null without a file. */
export function fileState(file: NodeFile | undefined): FileState | null {
  if (!file) return null;
  const sha256 = hash("sha256", file.contents);
  return { bytes: Buffer.byteLength(file.contents), mode: file.mode, sha256 };
}
