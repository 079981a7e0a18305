import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { byCodeUnit } from "#shared/domain/json/order.ts";
import { type ReadManifests, readManifests } from "#shared/domain/manifests/manifests.ts";
import { UsageError } from "../program/usage-error.ts";

const stdinName = "stdin";
const isManifest = (name: string) => /\.(?:ya?ml|json)$/.test(name);

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  ELOOP: "too many levels of symbolic links",
};

function unreadable(path: string, error: unknown): UsageError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return new UsageError(`${path}: ${reasons[code] ?? (error instanceof Error ? error.message : code)}`, {
    cause: error,
  });
}

/** Hidden files and folders belong to other programs (.git). */
async function filesBelow(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const shown = entries.filter(({ name }) => !name.startsWith("."));
  const found = await Promise.all(
    shown.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return isManifest(entry.name) ? [path] : [];
    }),
  );
  return found.flat().sort(byCodeUnit);
}

async function filesOf(path: string): Promise<readonly string[]> {
  return (await stat(path)).isDirectory() ? filesBelow(path) : [path];
}

/** The text of a file, with its name in messages. */
export type Source = Readonly<{ file: string; text: string }>;

async function sourcesOf(path: string, stdin: () => Promise<string>): Promise<readonly Source[]> {
  if (path === "-") return [{ file: stdinName, text: await stdin() }];
  try {
    const sources: Source[] = [];
    for (const file of await filesOf(path)) sources.push({ file, text: await readFile(file, "utf8") });
    return sources;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * Reads the arguments of `-f`: files, directories (recursive), `-` for standard input (read once, even when it is
 * named twice), in the order of the arguments and, within a directory, by path.
 * Throws a `UsageError` for a path that cannot be read.
 */
export async function readTexts(
  paths: readonly string[],
  stdin: () => Promise<string>,
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const path of new Set(paths)) sources.push(...(await sourcesOf(path, stdin)));
  return sources;
}

/** Reads the objects that `-f` names, in the order of `readTexts`. Errors inside a file are issues. */
export async function readSources(
  paths: readonly string[],
  stdin: () => Promise<string>,
): Promise<ReadManifests> {
  const read = (await readTexts(paths, stdin)).map(({ file, text }) => readManifests(text, file));
  return {
    objects: read.flatMap(({ objects }) => objects),
    issues: read.flatMap(({ issues }) => issues),
    damaged: read.flatMap(({ damaged = [] }) => damaged),
  };
}
