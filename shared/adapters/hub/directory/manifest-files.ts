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

/** A file's state by stat: `identity` changes with any change of the content. `changedMs` is the time of the last change. */
export type FileState = Readonly<{ identity: string; changedMs: number; isEmpty: boolean }>;

/** The result of a walk. Paths are relative to the hub's directory. */
export type Walk = Readonly<{
  files: ReadonlyMap<string, FileState>;
  /** The reason why a file or folder cannot be read, by its path. Files in such a folder are not found. */
  skipped: ReadonlyMap<string, string>;
}>;

/** Codes of errors that affect one path only. Other errors, such as too many open files, affect the process. */
const errorsOfPath = new Set(["EACCES", "EPERM", "ELOOP", "ENAMETOOLONG", "ENOTDIR"]);

function problemOfPath(error: unknown): string {
  if (errorsOfPath.has(fileErrorCode(error))) return fileProblem(error);
  throw error;
}

/** Returns the state of a file, or the problem that prevents reading it; an empty object if it is missing or a folder. */
function inspect(path: string): { state?: FileState; problem?: string } {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stats) return {};
    if (!stats.isFile()) return stats.isDirectory() ? {} : { problem: "it is not a regular file" };
    // The identity includes ctime, which cannot be set back, unlike mtime.
    const { ino, size, mtimeNs, ctimeNs } = stats;
    const identity = `${ino}.${size}.${mtimeNs}.${ctimeNs}`;
    return { state: { identity, changedMs: Number(ctimeNs / 1_000_000n), isEmpty: size === 0n } };
  } catch (error) {
    return { problem: problemOfPath(error) };
  }
}

/** Returns the state of a file; undefined when it does not exist. */
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
 * Finds all manifests below a directory, and the statuses that hubs have written to `.hubrelay`. Ignores other hidden
 * entries (editors' swap files, `.git`). Follows links to files, but not to directories, since these may form circles.
 */
export function walkManifests(root: string): Walk {
  const files = new Map<string, FileState>();
  const skipped = new Map<string, string>();
  // `pop` takes the statuses first. A hub writes an object before its status, so every status found has its object.
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

/** Returns a file's text, or the problem if it cannot be read: a forbidden file must not stop the whole hub. */
export function readText(path: string): { text: string } | { text: undefined; problem: string } {
  try {
    const problem = sizeProblem(statSync(path).size);
    return problem === undefined ? { text: decodeText(readFileSync(path)) } : { text: undefined, problem };
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return { text: undefined, problem: fileProblem(error) };
    return { text: undefined, problem: problemOfPath(error) };
  }
}

/** Removes a file; a missing one is not an error. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}

/** Returns the file to write, after following links, and the mode to give it: an existing file keeps its own mode. */
function targetOf(path: string): { target: string; mode: number } {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? { target: realpathSync(path), mode: stats.mode & 0o777 } : { target: path, mode: 0o666 };
}

/**
 * Replaces a file so that readers, even after a kill, see either the old or the new text: a temporary file in the same
 * directory is renamed over the old one. The temporary name is random and must be unused, so that a link that an attacker
 * placed there is not followed. With `synced` the same is true after a power cut; derived files do not need that.
 */
export function writeAtomically(path: string, text: string, { synced }: { synced: boolean }): void {
  const { target, mode } = targetOf(path);
  const directory = dirname(target);
  mkdirSync(directory, { recursive: true });
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
