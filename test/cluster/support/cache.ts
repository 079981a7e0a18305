import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** What takes minutes to make or fetch is kept outside the clone, so that the next clone has it. */
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "hubrelay");

/** Says what is being done, for the person who waits for it. */
export type Tell = (line: string) => void;

/**
 * A file or folder that is made once for the given inputs (files, and anything else by its text). `make` writes to
 * the path that it is given, which takes its place only when it is whole, so that several may make it at once.
 */
export async function cached(
  name: string,
  inputs: Readonly<{ tier?: "cluster" | "images"; files: readonly string[]; texts: readonly string[] }>,
  make: (unfinished: string) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(inputs.texts));
  for (const file of inputs.files) hash.update(await readFile(file));
  const folder = join(cache, inputs.tier ?? "cluster");
  const path = join(folder, `${name}-${hash.digest("hex").slice(0, 12)}`);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await make(unfinished);
  await rename(unfinished, path).catch((error: unknown) => {
    // A folder takes no other's place: somebody else was faster.
    if (!existsSync(path)) throw error;
    return rm(unfinished, { recursive: true });
  });
  return path;
}
