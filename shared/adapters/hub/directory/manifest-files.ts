import { randomUUID } from "node:crypto";
import {
  closeSync,
  type Dirent,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isManifestFile } from "../../../domain/manifests/manifests.ts";
import { decodeText, FileTextError, fileErrorCode, fileProblem, sizeProblem } from "../../file-text.ts";
import { statusDirectory } from "./folder-objects.ts";

/** A file's state. `identity` differs after every change of the content; `changedMs` is the time of the last change. */
export type FileState = Readonly<{ identity: string; changedMs: number; isEmpty: boolean }>;

/** The manifest files below a hub's directory. Paths are relative to that directory. */
export type Walk = Readonly<{
  files: ReadonlyMap<string, FileState>;
  /** Why a file or folder cannot be read, by its path. `files` has no file below such a folder. */
  skipped: ReadonlyMap<string, string>;
}>;

/** Codes of errors that concern only one path. Other errors, such as too many open files, concern the whole process. */
const errorsOfPath = new Set(["EACCES", "EPERM", "ELOOP", "ENAMETOOLONG", "ENOTDIR"]);

function problemOfPath(error: unknown): string {
  if (errorsOfPath.has(fileErrorCode(error))) return fileProblem(error);
  throw error;
}

function inspect(path: string): { state?: FileState; problem?: string } {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stats) return {};
    if (!stats.isFile()) return stats.isDirectory() ? {} : { problem: "it is not a regular file" };
    // ctime is part of the identity, since programs can set mtime back, but not ctime.
    const { ino, size, mtimeNs, ctimeNs } = stats;
    const identity = `${ino}.${size}.${mtimeNs}.${ctimeNs}`;
    return { state: { identity, changedMs: Number(ctimeNs / 1_000_000n), isEmpty: size === 0n } };
  } catch (error) {
    return { problem: problemOfPath(error) };
  }
}

export function fileState(path: string): FileState | undefined {
  return inspect(path).state;
}

function entriesOf(directory: string): readonly Dirent[] | string {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const isUnreadable = fileErrorCode(error) === "ENOENT" || error instanceof FileTextError;
    if (isUnreadable) return []; // removed since its parent was read
    return problemOfPath(error);
  }
}

/**
 * Finds all manifests and status files below a directory. Other hidden entries are ignored, and so are links to
 * folders, which may form a circle.
 */
export function walkManifests(root: string): Walk {
  const files = new Map<string, FileState>();
  const skipped = new Map<string, string>();
  // Status files are found first. They are written after their objects, so each found status has its object.
  const found = ["", statusDirectory];
  for (let directory = found.pop(); directory !== undefined; directory = found.pop()) {
    const entries = entriesOf(join(root, directory));
    if (typeof entries === "string") {
      if (directory === "") throw new Error(entries);
      skipped.set(directory, entries);
      continue;
    }
    for (const entry of entries) {
      const path = directory ? `${directory}/${entry.name}` : entry.name;
      if (entry.isDirectory()) {
        if (!entry.name.startsWith(".")) found.push(path);
      } else if (isManifestFile(entry.name)) {
        const { state, problem } = inspect(join(root, path));
        if (state) files.set(path, state);
        if (problem !== undefined) skipped.set(path, problem);
      }
    }
  }
  return { files, skipped };
}

/** Returns a file's text, or the problem if this file cannot be read. */
export function readText(path: string): { text: string } | { text: undefined; problem: string } {
  try {
    const problem = sizeProblem(statSync(path).size);
    return problem === undefined ? { text: decodeText(readFileSync(path)) } : { text: undefined, problem };
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return { text: undefined, problem: fileProblem(error) };
    return { text: undefined, problem: problemOfPath(error) };
  }
}

/** Removes a file. Does nothing if the file is missing. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}

function targetOf(path: string): { target: string; mode: number } {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? { target: realpathSync(path), mode: stats.mode & 0o777 } : { target: path, mode: 0o666 };
}

/** Replaces a file's content. Readers see the old or the new text; with `synced`, even after a power cut. */
export function writeAtomically(path: string, text: string, { synced }: { synced: boolean }): void {
  const { target, mode } = targetOf(path);
  const directory = dirname(target);
  mkdirSync(directory, { recursive: true });
  // The name is random and must be unused, so that a link that an attacker placed there is not followed.
  const temporary = join(directory, `.hubrelay-${randomUUID()}.tmp`);
  try {
    const file = openSync(temporary, "wx", mode);
    try {
      writeFileSync(file, text);
      if (synced) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
