import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileErrorCode, fileProblem, sizeProblem } from "#shared/adapters/file-errors.ts";
import { skippedPath, unreadableFile } from "#shared/domain/issues/file-issues.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { byCodeUnit } from "#shared/domain/json/order.ts";
import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { type ManifestText, withPlaces } from "#shared/domain/manifests/issue-places.ts";
import { type DamagedObject, type ReadManifests, readManifests } from "#shared/domain/manifests/manifests.ts";
import { UsageError } from "../program/exit-codes.ts";
import { readLiveHub } from "./live-hub.ts";

const stdinName = "stdin";
const isManifest = (name: string) => /\.(?:ya?ml|json)$/.test(name);

/** Returns the error for a path that cannot be read. */
export function unreadable(path: string, error: unknown): UsageError {
  return new UsageError(`${path}: ${fileProblem(error)}`, { cause: error });
}

export type Source = ManifestText;

/** The texts that were read, and issues about those that were not. */
type Sources = Readonly<{ sources: readonly Source[]; issues: readonly Issue[] }>;

/** Adds file, line and column to issues of objects that were read from files. */
export type PlaceIssues = (issues: readonly Issue[]) => readonly Issue[];

const meanwhile = "the objects in it were not read";
const skipped = (path: string, problem: string): Sources => ({
  sources: [],
  issues: [skippedPath({ path, problem, meanwhile })],
});
const joined = (parts: readonly Sources[]): Sources => ({
  sources: parts.flatMap(({ sources }) => sources),
  issues: parts.flatMap(({ issues }) => issues),
});

/** Errors of one path: what is beside it can still be read. */
const isOfPath = (error: unknown) => ["EACCES", "EPERM", "ELOOP", "ENOENT"].includes(fileErrorCode(error));

async function sourceBelow(file: string): Promise<Sources> {
  try {
    const stats = await stat(file);
    if (stats.isDirectory()) return { sources: [], issues: [] }; // a link: those may form circles
    if (!stats.isFile()) return skipped(file, "it is not a regular file");
  } catch (error) {
    if (isOfPath(error)) return skipped(file, fileProblem(error));
    throw error;
  }
  try {
    return { sources: [await sourceOf(file)], issues: [] };
  } catch (error) {
    if (!isOfPath(error)) throw error;
    return { sources: [], issues: [unreadableFile({ path: file, problem: fileProblem(error), meanwhile })] };
  }
}

/** Hidden files and folders belong to other programs (.git). */
async function manifestsBelow(
  directory: string,
): Promise<Readonly<{ files: readonly string[]; unread: readonly Sources[] }>> {
  const entries = await readdir(directory, { withFileTypes: true });
  const shown = entries.filter(({ name }) => !name.startsWith("."));
  const found = await Promise.all(
    shown.map(async (entry) => {
      const path = join(directory, entry.name);
      if (!entry.isDirectory()) return { files: isManifest(entry.name) ? [path] : [], unread: [] };
      return manifestsBelow(path).catch((error: unknown) => {
        if (isOfPath(error)) return { files: [], unread: [skipped(path, fileProblem(error))] };
        throw error;
      });
    }),
  );
  const files = found.flatMap((one) => one.files).sort(byCodeUnit);
  return { files, unread: found.flatMap(({ unread }) => unread) };
}

async function sourceOf(file: string): Promise<Source> {
  const problem = sizeProblem((await stat(file)).size);
  if (problem !== undefined) throw new UsageError(`${file} is not read: ${problem}`);
  return { file, text: await readFile(file, "utf8") };
}

async function sourcesOf(path: string, stdin: () => Promise<string>): Promise<Sources> {
  if (path === "-") return { sources: [{ file: stdinName, text: await stdin() }], issues: [] };
  try {
    if (!(await stat(path)).isDirectory()) return { sources: [await sourceOf(path)], issues: [] };
    const { files, unread } = await manifestsBelow(path);
    const read: Sources[] = [...unread];
    for (const file of files) read.push(await sourceBelow(file));
    return joined(read);
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(path, error);
  }
}

/**
 * Reads the arguments of `-f`: files, directories (recursive), `-` for standard input (read once, even when it is
 * named twice), in the order of the arguments and, within a directory, by path. What cannot be read in a directory is an
 * issue. Throws a `UsageError` for an argument that cannot be read, and for a file that is too large.
 */
export async function readTexts(paths: readonly string[], stdin: () => Promise<string>): Promise<Sources> {
  const read: Sources[] = [];
  for (const path of new Set(paths)) read.push(await sourcesOf(path, stdin));
  return joined(read);
}

export type ReadSources = Required<ReadManifests> &
  Readonly<{
    place: PlaceIssues;
    /** The number of files that were read. */
    files: number;
  }>;

/** Reads the objects that `-f` names, in the order of `readTexts`. Errors inside a file are issues. */
export async function readSources(
  paths: readonly string[],
  stdin: () => Promise<string>,
): Promise<ReadSources> {
  const { sources, issues } = await readTexts(paths, stdin);
  const read = sources.map(({ file, text }) => readManifests(text, file));
  const objects = read.flatMap((one) => one.objects);
  const damaged = read.flatMap((one) => one.damaged ?? []);
  return {
    objects,
    issues: [...issues, ...read.flatMap((one) => one.issues)],
    damaged,
    place: (found) => withPlaces(found, [...objects, ...damaged], sources),
    files: sources.length,
  };
}

export type ManifestsOrHub = Readonly<{
  objects: readonly KubernetesObject[];
  /** The same objects, with their files if they have any. */
  located: readonly Readonly<{ object: KubernetesObject; file?: string }>[];
  issues: readonly Issue[];
  /** Objects that could not be read completely; `issues` has the reasons. */
  damaged: readonly DamagedObject[];
  place: PlaceIssues;
  /** The number of files that were read; undefined for the hub. */
  files: number | undefined;
}>;

/** Issues of a hub's objects have no place in a file. */
export const withoutPlaces: PlaceIssues = (issues) => issues;

/** Returns the objects that `-f` names, of any kind; without `-f`, the live hub's objects of these kinds. */
export async function manifestsOrHub(
  paths: readonly string[] | undefined,
  kinds: readonly Kind[],
): Promise<ManifestsOrHub> {
  if (!paths) {
    const objects = await readLiveHub(kinds);
    const located = objects.map((object) => ({ object }));
    return { objects, located, issues: [], damaged: [], place: withoutPlaces, files: undefined };
  }
  const { objects: located, ...read } = await readSources(paths, () => text(process.stdin));
  return { ...read, located, objects: located.map(({ object }) => object) };
}
