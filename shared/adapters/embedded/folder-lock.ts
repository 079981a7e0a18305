import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === sqliteBusy;
}

/**
 * Claims a folder for this process, creating it if need be, and answers the function that gives it back.
 * Throws when another process, or another part of this one, has it. The claim is an operating system's lock on
 * a SQLite file in it, so it ends with the process however that ends: there is no stale lock to remove.
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, "lock.db"));
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new Error(`${folder} is in use by another process; stop that one or choose another folder`, {
      cause: error,
    });
  }
  return () => database.close();
}
