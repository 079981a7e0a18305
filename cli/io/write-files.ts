import { randomUUID } from "node:crypto";
import { lstat, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { messageOf } from "#shared/domain/credentials/redact.ts";
import { UsageError } from "../program/exit-codes.ts";

/** Creates the directory for output files. Throws `UsageError` when a file has that name. */
export async function ensureDirectory(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found && !found.isDirectory())
    throw new UsageError(`${JSON.stringify(directory)} exists and is a file`);
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw new UsageError(`--dir ${directory}: ${messageOf(error)}`, { cause: error });
  }
}

/** Resolves links and `..`; the folder need not exist. */
async function isInside(directory: string, folder: string): Promise<boolean> {
  let existing = folder;
  while (!(await lstat(existing).catch(() => undefined))) existing = dirname(existing);
  const root = await realpath(directory);
  const resolved = await realpath(existing).catch(() => "");
  return resolved === root || resolved.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * Writes a file atomically: its path never holds partial text, not even after a crash. The temporary file has a random
 * name and must not exist, so that no link that somebody placed there is followed. Does not rewrite a file that has
 * this text already. Creates the folders in `name`. Returns the path. Throws `UsageError` when the file cannot be written,
 * and when the path leads out of the directory: parts of names come from objects.
 */
export async function writeWhole(
  directory: string,
  name: string,
  text: string,
  mode = 0o666,
): Promise<string> {
  const path = join(directory, name);
  const folder = dirname(path);
  const unfinished = join(folder, `.hubrelay-${randomUUID()}.tmp`);
  if (!(await isInside(directory, folder)))
    throw new UsageError(`${path} is not written: it lies outside ${directory}`);
  try {
    if ((await readFile(path, "utf8").catch(() => undefined)) === text) return path;
    await mkdir(folder, { recursive: true });
    await writeFile(unfinished, text, { mode, flag: "wx" });
    await rename(unfinished, path);
    return path;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new UsageError(`${path} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}
