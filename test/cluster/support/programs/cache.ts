import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { paths } from "../../../../infra/paths.ts";

/** Reports progress to the person who waits. */
export type Log = (line: string) => void;

/**
 * Returns a file or folder that is built once for the given inputs (files, and anything else by its text). `make`
 * writes to a temporary path, which is renamed only when it is complete, so that several may build at once.
 */
export async function cached(
  name: string,
  inputs: Readonly<{ tier?: "cluster" | "images"; files: readonly string[]; texts: readonly string[] }>,
  make: (unfinished: string) => Promise<unknown>,
): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(inputs.texts));
  for (const file of inputs.files) hash.update(await readFile(file));
  const folder = join(paths.machineCache, inputs.tier ?? "cluster");
  const path = join(folder, `${name}-${hash.digest("hex").slice(0, 12)}`);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await make(unfinished);
  await rename(unfinished, path).catch((error: unknown) => {
    // A folder does not replace another: another process was faster.
    if (!existsSync(path)) throw error;
    return rm(unfinished, { recursive: true });
  });
  return path;
}
