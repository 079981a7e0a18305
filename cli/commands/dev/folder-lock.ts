import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileErrorCode } from "#shared/adapters/file-text.ts";
import { stateDirectory } from "#shared/adapters/hub/directory/folder-objects.ts";

/** Reports whether another process has this id; in a new container this one may have that of an ended one. */
function isOther(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return fileErrorCode(error) === "EPERM";
  }
}

/** A folder that another process uses. */
type FolderInUse = Readonly<{ pid: number; lock: string }>;

/**
 * Takes a folder for this process with a lock file that has its id, and returns the function that releases it; or which
 * process has taken it. The lock of a process that has ended is taken over.
 */
export function lockFolder(directory: string): (() => void) | FolderInUse {
  const state = join(directory, stateDirectory);
  // Recursive, it reports a read-only file system as a missing folder.
  if (!existsSync(state)) mkdirSync(state);
  const lock = join(state, "lock");
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (fileErrorCode(error) !== "EEXIST") throw error;
    }
    const pid = Number(readFileSync(lock, "utf8"));
    if (isOther(pid)) return { pid, lock };
    rmSync(lock, { force: true });
  }
}
