import { createHash } from "node:crypto";
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

/** A file's state by stat: any change of its content changes `identity`. `changedMs` is the time of the last change. */
export type FileState = Readonly<{ identity: string; changedMs: number }>;

/** The result of a walk. Paths are relative to the hub's directory, which is "" in `directories`. */
export type Walk = Readonly<{
  files: ReadonlyMap<string, FileState>;
  directories: readonly string[];
  /** Temporary files of a process that was killed during a write. */
  leftovers: readonly string[];
}>;

const temporaryPrefix = ".hubrelay-";
const temporarySuffix = ".tmp";
const isTemporary = (name: string) => name.startsWith(temporaryPrefix) && name.endsWith(temporarySuffix);
const isManifest = (name: string) => !name.startsWith(".") && /\.(?:ya?ml|json)$/.test(name);

let temporaries = 0;

/** Returns the state of a file, or undefined when it does not exist. */
export function fileState(path: string): FileState | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  // Includes ctime: unlike mtime it cannot be set back.
  const { ino, size, mtimeNs, ctimeNs } = stats;
  return { identity: `${ino}.${size}.${mtimeNs}.${ctimeNs}`, changedMs: Number(ctimeNs / 1_000_000n) };
}

/** Returns when an entry of the directory, or of the nearest existing parent, was last added, renamed or removed. */
export function directoryChangedMs(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? stats.mtimeMs : directoryChangedMs(dirname(path));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return []; // removed since its parent was read
    throw error;
  }
}

/**
 * Finds all manifests below a directory. Hidden entries are ignored: editors' swap files, `.git`, hubrelay's own
 * `.hubrelay`. Links to files are followed, links to directories are not: they may form circles.
 */
export function walkManifests(root: string): Walk {
  const files = new Map<string, FileState>();
  const directories = [""];
  const leftovers: string[] = [];
  for (const directory of directories) {
    for (const entry of entriesOf(join(root, directory))) {
      const path = directory ? `${directory}/${entry.name}` : entry.name;
      if (isTemporary(entry.name)) leftovers.push(path);
      else if (entry.isDirectory()) {
        if (!entry.name.startsWith(".")) directories.push(path);
      } else if (isManifest(entry.name)) {
        const state = fileState(join(root, path));
        if (state) files.set(path, state);
      }
    }
  }
  return { files, directories, leftovers };
}

/** Removes temporary files of killed writers; only with the lock, or it removes the file of an active writer. */
export function removeLeftovers(root: string): void {
  for (const path of walkManifests(root).leftovers) removeFile(join(root, path));
}

/** Returns the SHA-256 as hexadecimal digits. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns a file's text, or why it cannot be read: a file without permission must not stop the whole hub. */
export function readText(path: string): { text: string } | { text: undefined; problem: string } {
  try {
    return { text: readFileSync(path, "utf8") };
  } catch (error) {
    return { text: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Removes a file; a missing one is not an error. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}

/** Follows links, and returns the mode to keep; for a new file the path itself. */
function targetOf(path: string): { target: string; mode: number } {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? { target: realpathSync(path), mode: stats.mode & 0o777 } : { target: path, mode: 0o666 };
}

/**
 * Replaces a file so that readers, even after a kill, see either the old or the new text: a temporary file in the same
 * directory is renamed over the old one. With `synced` the same holds after a power cut; derived files do not need
 * that.
 */
export function writeAtomically(path: string, text: string, { synced }: { synced: boolean }): void {
  const { target, mode } = targetOf(path);
  const directory = dirname(target);
  mkdirSync(directory, { recursive: true });
  const temporary = join(directory, `${temporaryPrefix}${process.pid}-${temporaries++}${temporarySuffix}`);
  try {
    const file = openSync(temporary, "w", mode);
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
