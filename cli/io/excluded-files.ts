import { readFile } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import type { Unread } from "#shared/domain/issues/coverage.ts";
import { renderedFolder } from "../program/rendered-argument.ts";
import type { ChangeSince } from "./git/changed-since.ts";
import { isRead, manifestsBelow } from "./manifest-texts.ts";
import type { Repository } from "./repository/repository.ts";

type Excluding = Pick<Repository, "reading" | "nameOf">;

const asUnread = (files: readonly string[], { nameOf }: Excluding): readonly Unread[] =>
  files.map((file) => ({ what: nameOf(file), why: "excluded", count: 1 }));

const isBelow = (folder: string, file: string): boolean => {
  const below = relative(folder, file);
  return !below.split(sep).includes("..") && !below.split(sep).some((step) => step.startsWith("."));
};

/** Returns the manifests below the arguments of `-f` that a change touches, and that settings exclude. */
export function excludedOfChange(
  paths: readonly string[],
  { touched }: ChangeSince,
  repository: Excluding,
): readonly Unread[] {
  const folders = paths.map((path) => renderedFolder(path)?.folder ?? path);
  const found = touched.filter(
    (file) =>
      isRead(basename(file)) &&
      repository.reading.isExcluded(file) &&
      folders.some((folder) => isBelow(folder, file)),
  );
  return asUnread(found, repository);
}

/** Returns the manifests that differ between two folders, or that only one of them has, and that settings exclude. */
export async function excludedOfSides(
  before: string,
  after: string,
  repository: Excluding & Pick<Repository, "settings">,
): Promise<readonly Unread[]> {
  if (repository.settings.exclude.length === 0) return [];
  const textsOf = async (side: string): Promise<ReadonlyMap<string, string>> => {
    const all = await manifestsBelow(side, () => false).catch(() => ({ files: [] }));
    const read = all.files.map(
      async (file) => [relative(side, file), await readFile(file, "latin1")] as const,
    );
    return new Map(await Promise.all(read));
  };
  const [old, now] = [await textsOf(before), await textsOf(after)];
  const differing = [...new Set([...old.keys(), ...now.keys()])].filter(
    (file) => old.get(file) !== now.get(file) && repository.reading.isExcluded(resolve(join(after, file))),
  );
  return asUnread(
    differing.map((file) => join(after, file)),
    repository,
  );
}
