import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "./usage-error.ts";

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Makes the directory that files are to be written to. Throws a `UsageError` when a file has its name. */
export async function ensureDirectory(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found && !found.isDirectory())
    throw new UsageError(`${JSON.stringify(directory)} exists and is a file`);
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw new UsageError(`--dir ${directory}: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Writes a file so that its path never holds half a text, not even after a crash, and leaves a file alone that
 * has this text already. Answers the path. Throws a `UsageError` where it cannot be written.
 */
export async function writeWhole(directory: string, name: string, text: string): Promise<string> {
  const path = join(directory, name);
  const unfinished = join(directory, `.${name}.${process.pid}`);
  try {
    if ((await readFile(path, "utf8").catch(() => undefined)) === text) return path;
    await writeFile(unfinished, text);
    await rename(unfinished, path);
    return path;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new UsageError(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}
