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

/** A file's state by stat: any change of its content changes `identity`. `changedMs` is when that last happened. */
export type FileState = Readonly<{ identity: string; changedMs: number }>;

/** What a walk found. Paths are relative to the hub's directory; `directories` holds that as "". */
export type Walk = Readonly<{
  files: ReadonlyMap<string, FileState>;
  directories: readonly string[];
  /** Temporary files of a process that was killed in the middle of a write. */
  leftovers: readonly string[];
}>;

const temporaryPrefix = ".hubrelay-";
const temporarySuffix = ".tmp";
const isTemporary = (name: string) => name.startsWith(temporaryPrefix) && name.endsWith(temporarySuffix);
const isManifest = (name: string) => !name.startsWith(".") && /\.(?:ya?ml|json)$/.test(name);

let temporaries = 0;

/** The state of a file, or undefined when there is none. */
export function fileState(path: string): FileState | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  // The change time (ctime) too: unlike the modification time nobody can set it back.
  const { ino, size, mtimeNs, ctimeNs } = stats;
  return { identity: `${ino}.${size}.${mtimeNs}.${ctimeNs}`, changedMs: Number(ctimeNs / 1_000_000n) };
}

/** When an entry of the directory was last added, renamed or removed; of the nearest one that still exists. */
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
 * Finds all manifests below a directory. Hidden entries are somebody else's: editors' swap files, `.git`,
 * hubrelay's own `.hubrelay`. Links to files are followed, links to directories are not: they may go in circles.
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

/** Removes what writers left behind that were killed; only with the lock, or it takes a file from under a writer. */
export function removeLeftovers(root: string): void {
  for (const path of walkManifests(root).leftovers) removeFile(join(root, path));
}

/** SHA-256 as hexadecimal digits. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A file's text, or why it cannot be had: a file without permission must not stop the whole hub. */
export function readText(path: string): { text: string } | { text: undefined; problem: string } {
  try {
    return { text: readFileSync(path, "utf8") };
  } catch (error) {
    return { text: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** One that is gone already is no error. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}

/** The file behind a path, its links followed, and the permissions to keep; of a new file the path itself. */
function targetOf(path: string): { target: string; mode: number } {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? { target: realpathSync(path), mode: stats.mode & 0o777 } : { target: path, mode: 0o666 };
}

/**
 * Replaces a file so that nobody, not even after a kill, sees anything but the old or the new text: a temporary
 * file in the same directory, renamed over the old one. Synced before, the same holds after a power cut; what can
 * be derived again need not pay for that.
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
