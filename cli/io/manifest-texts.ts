import { readdir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { FileTextError, fileErrorCode, fileProblem } from "#shared/adapters/file-text.ts";
import { stateDirectory } from "#shared/adapters/hub/directory/folder-objects.ts";
import { skippedPath, unreadableFile } from "#shared/domain/issues/file-issues.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { isManifestFile } from "#shared/domain/manifests/manifests.ts";
import {
  chartFile,
  isChart,
  isKustomization,
  unrenderedFolders,
} from "#shared/domain/manifests/unrendered/unrendered-folders.ts";
import { notRendered } from "#shared/domain/manifests/unrendered/unrendered-issues.ts";
import { UsageError } from "../program/exit-codes.ts";
import { type RenderedFolder, renderedFolder } from "../program/rendered-argument.ts";
import { type Source, sourceOf, stdinName, unreadable } from "./input-text.ts";
import { showable } from "./issue-text.ts";
import { RenderFailure, render } from "./rendered/rendered-folder.ts";
import { basesOf, originsOf, withoutOrigins } from "./rendered/rendered-origins.ts";

/** The texts in the paths of `-f`, and issues about paths that could not be read. */
export type Sources = Readonly<{
  sources: readonly Source[];
  issues: readonly Issue[];
  /** Folders that contain manifests but are not read, since their names begin with a dot. */
  hidden?: readonly string[];
}>;

const meanwhile = "the objects in it were not read";
const skipped = (path: string, problem: string): Sources => ({
  sources: [],
  issues: [skippedPath({ path, problem, meanwhile })],
});
const joined = (parts: readonly Sources[]): Sources => ({
  sources: parts.flatMap(({ sources }) => sources),
  issues: parts.flatMap(({ issues }) => issues),
  hidden: parts.flatMap(({ hidden = [] }) => hidden),
});

const isOfPath = (error: unknown) => ["EACCES", "EPERM", "ELOOP", "ENOENT"].includes(fileErrorCode(error));

async function sourceBelow(file: string): Promise<Sources> {
  try {
    const stats = await stat(file);
    if (stats.isDirectory()) return { sources: [], issues: [] }; // a symbolic link: links may form circles
    if (!stats.isFile()) return skipped(file, "it is not a regular file");
  } catch (error) {
    if (isOfPath(error)) return skipped(file, fileProblem(error));
    throw error;
  }
  try {
    return { sources: [{ ...(await sourceOf(file)), isInFolder: true }], issues: [] };
  } catch (error) {
    if (!isOfPath(error) && !(error instanceof FileTextError)) throw error;
    return { sources: [], issues: [unreadableFile({ path: file, problem: fileProblem(error), meanwhile })] };
  }
}

const isRead = (name: string): boolean => isManifestFile(name) || isKustomization(name);

/** The rules for reading the paths of `-f`. */
export type Reading = Readonly<{
  isExcluded(path: string): boolean;
  /** If true, a folder that cannot be rendered is an issue, and reading continues. If false, reading throws. */
  isCheck: boolean;
  /** True for one side of a comparison. Remedies in issues then name folders by their paths relative to this side. */
  isSide?: boolean;
}>;

const neverRead = [".git", stateDirectory];

/** Returns the manifests below a folder. `unread` has hidden folders with manifests, and unreadable folders. */
export async function manifestsBelow(
  directory: string,
  isExcluded: Reading["isExcluded"],
): Promise<Readonly<{ files: readonly string[]; unread: readonly Sources[] }>> {
  const entries = await readdir(directory, { withFileTypes: true });
  const shown = entries.filter(({ name }) => !neverRead.includes(name) && !isExcluded(join(directory, name)));
  const found = await Promise.all(
    shown.map(async (entry) => {
      const path = join(directory, entry.name);
      const isHidden = entry.name.startsWith(".");
      if (!entry.isDirectory()) return { files: !isHidden && isRead(entry.name) ? [path] : [], unread: [] };
      const below = await manifestsBelow(path, isExcluded).catch((error: unknown) => {
        if (isOfPath(error))
          return { files: [], unread: isHidden ? [] : [skipped(path, fileProblem(error))] };
        throw error;
      });
      if (!isHidden) return below;
      return {
        files: [],
        unread: below.files.length > 0 ? [{ sources: [], issues: [], hidden: [path] }] : [],
      };
    }),
  );
  const files = found.flatMap((one) => one.files).sort(byCodeUnit);
  return { files, unread: found.flatMap(({ unread }) => unread) };
}

async function sourcesBelow(directory: string, { isExcluded, isSide }: Reading): Promise<Sources> {
  const { files, unread } = await manifestsBelow(directory, isExcluded);
  const read: Sources[] = [...unread];
  for (const file of files) read.push(await sourceBelow(file));
  return inFolder(directory, joined(read), isSide);
}

function inFolder(directory: string, { sources, issues, ...rest }: Sources, isSide = false): Sources {
  const { folders, inputs } = unrenderedFolders(sources);
  const below = (folder: string) => relative(directory, folder);
  return {
    ...rest,
    issues: [...issues, ...notRendered(folders, below, isSide ? below : undefined)],
    sources: sources.map((source) => ({
      ...source,
      folder: directory,
      ...(inputs.has(source.file) ? { isInput: true } : {}),
    })),
  };
}

async function chartOf(file: string): Promise<string | undefined> {
  const folders = dirname(resolve(file)).split(sep);
  const folder = folders.slice(0, folders.lastIndexOf("templates")).join(sep);
  const isOfChart =
    folders.includes("templates") && (await stat(join(folder, chartFile)).catch(() => undefined));
  return isOfChart ? relative("", folder) : undefined;
}

async function asNamed(source: Source): Promise<Sources> {
  const { file } = source;
  const chart = isChart(file) ? dirname(file) : await chartOf(file);
  const folder = chart ?? (isKustomization(file) ? dirname(file) : undefined);
  if (folder === undefined) return { sources: [source], issues: [] };
  const program = chart === undefined ? "kustomize" : "helm";
  const entry = chart === undefined ? file : join(folder, chartFile);
  return {
    sources: [{ ...source, isInput: true }],
    issues: notRendered([{ folder, file: entry, program }]),
  };
}

async function renderedSource(
  argument: string,
  given: RenderedFolder,
  { isCheck }: Reading,
): Promise<Sources> {
  const { folder } = given;
  try {
    const { text: printed, fileOf } = await render(given);
    const folders = [folder, ...(await basesOf(folder))];
    const below = await Promise.all(folders.map((one) => manifestsBelow(one, () => false)));
    const others = below.flatMap(({ files }) => files);
    const isFirst = given.program === "helm" ? isChart : isKustomization;
    const entry = others.find((file) => isFirst(file) && relative(folder, dirname(file)) === "");
    const origins = { ...(await originsOf(printed, { fileOf, others })), entry };
    const text = withoutOrigins(printed);
    return { sources: [{ file: argument, text, folder, directory: folder, origins }], issues: [] };
  } catch (error) {
    if (isCheck && error instanceof RenderFailure) return { sources: [], issues: [error.issue] };
    throw error;
  }
}

async function sourcesOf(path: string, stdin: () => Promise<string>, reading: Reading): Promise<Sources> {
  const name = path === "-" ? stdinName : path;
  try {
    if (path === "-") return { sources: [showable({ file: name, text: await stdin() })], issues: [] };
    // Settings that exclude files do not exclude objects that are rendered from these files.
    const rendered = renderedFolder(path);
    if (rendered) {
      const read = await renderedSource(path, rendered, reading);
      return { ...read, sources: read.sources.map(showable) };
    }
    if (reading.isExcluded(path)) return { sources: [], issues: [] };
    if (!(await stat(path)).isDirectory()) return await asNamed(await sourceOf(path));
    return await sourcesBelow(path, reading);
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(name, error);
  }
}

/** Reads the texts in the paths of `-f`, in this order. Throws `UsageError` for an unreadable path in `paths`. */
export async function readTexts(
  paths: readonly string[],
  stdin: () => Promise<string>,
  reading: Reading,
): Promise<Sources> {
  const read: Sources[] = [];
  for (const path of new Set(paths)) read.push(await sourcesOf(path, stdin, reading));
  return joined(read);
}
