import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { QueueError } from "../../ports/queue.ts";

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === sqliteBusy;
}

/**
 * Locks a folder for this process, creating it if needed, and returns the function that releases it. Throws when
 * another process, or another part of this one, holds the lock. It is an operating system's lock on a SQLite file in
 * the folder, so it ends with the process: there is no stale lock to remove.
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, "lock.db"));
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new QueueError(
      "QueueUnavailable",
      `${folder} is in use by another process; stop that one or choose another folder`,
      {
        cause: error,
      },
    );
  }
  return () => database.close();
}
