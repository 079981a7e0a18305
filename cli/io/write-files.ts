import { randomUUID } from "node:crypto";
import { lstat, mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { FileTextError, fileErrorCode, fileProblem, readRegularFile } from "#shared/adapters/file-text.ts";
import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import { UsageError } from "../program/exit-codes.ts";

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: "free space on it, or write to another directory with --dir",
  EDQUOT: "free space, or write to another directory with --dir",
  EROFS: "write to another directory with --dir",
  EACCES: "allow this user to write there, or write to another directory with --dir",
  EPERM: "allow this user to write there, or write to another directory with --dir",
};

function writeProblem(path: string, error: unknown): string {
  const remedy = ownValue(remedies, fileErrorCode(error));
  return `${path} cannot be written: ${fileProblem(error)}${remedy ? `. Fix: ${remedy}.` : ""}`;
}

/** Creates the folder for output files. Throws `UsageError` if there is a file with that name. */
export async function ensureDirectory(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found && !found.isDirectory())
    throw new UsageError(`${JSON.stringify(directory)} exists and is a file`);
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw new UsageError(`--dir ${directory}: ${fileProblem(error)}`, { cause: error });
  }
}

async function isInside(directory: string, folder: string): Promise<boolean> {
  let existing = folder;
  while (!(await lstat(existing).catch(() => undefined))) existing = dirname(existing);
  const root = await realpath(directory);
  const resolved = await realpath(existing).catch(() => "");
  return resolved === root || resolved.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * Writes the whole file or nothing, even in a crash. Does not rewrite a file with the same text. Returns the path.
 * Throws `UsageError` if writing fails, and if the path is outside of `directory`: parts of names come from objects.
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
    if ((await readRegularFile(path).catch(() => undefined)) === text) return path;
    const found = await stat(path).catch(() => undefined);
    if (found && !found.isFile() && !found.isDirectory())
      throw new FileTextError("it is there, and no regular file");
    await mkdir(folder, { recursive: true });
    // With `wx`, writing fails if there is a link with this name, which others may have placed there.
    await writeFile(unfinished, text, { mode, flag: "wx" });
    await rename(unfinished, path);
    return path;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new UsageError(writeProblem(path, error), { cause: error });
  }
}
