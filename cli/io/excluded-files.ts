import { readFile, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { Unread } from "#shared/domain/issues/coverage.ts";
import { manifestsBelow } from "./manifest-texts.ts";
import type { Repository } from "./repository/repository.ts";

/** Returns the manifests that the settings exclude, and that differ between two folders or files. */
export async function excludedFiles(
  before: string,
  after: string,
  { settings, reading, nameOf }: Repository,
): Promise<readonly Unread[]> {
  if (settings.exclude.length === 0) return [];
  const textsOf = async (side: string): Promise<ReadonlyMap<string, string>> => {
    const stats = await stat(side).catch(() => undefined);
    const files = stats?.isDirectory()
      ? (await manifestsBelow(side, () => false)).files
      : stats
        ? [side]
        : [];
    const read = files.map(async (file) => [relative(side, file), await readFile(file, "latin1")] as const);
    return new Map(await Promise.all(read));
  };
  const [old, now] = [await textsOf(before), await textsOf(after)];
  const differing = [...new Set([...old.keys(), ...now.keys()])].filter(
    (file) => old.get(file) !== now.get(file) && reading.isExcluded(resolve(join(after, file))),
  );
  return differing.map((file) => ({ what: nameOf(join(after, file)), why: "excluded", count: 1 }));
}
