import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileErrorCode } from "#shared/adapters/file-text.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { fieldsOf, isSameJson } from "#shared/domain/kubernetes/json/values.ts";
import { withPlaces } from "#shared/domain/manifests/issue-places.ts";
import { parseYamlDocument, YamlDocumentError } from "#shared/domain/manifests/yaml-document.ts";
import { redactTexts, sentence } from "#shared/domain/text/redact.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { renderedFolder } from "../../program/rendered-argument.ts";
import type { NamedCluster } from "../clusters/sides.ts";
import { sourceOf, stdinName, unreadable } from "../input-text.ts";
import { issueSentences, placeText } from "../issue-text.ts";
import type { Reading } from "../manifest-texts.ts";
import { matchesPath, noSettings, readSettings, type Settings, settingsFile } from "./settings.ts";

/** Returns what a list has more than another one. */
export const moreIn = <Item>(items: readonly Item[], others: readonly Item[]): readonly Item[] =>
  items.filter((item) => !others.some((other) => isSameJson(item, other)));

/** Returns the settings that decide about a change: those of its base, with its own clusters and what it accepts. */
export const decidingSettings = (base: Settings, { clusters, accept }: Settings): Settings => ({
  ...base,
  clusters,
  accept,
});

/** Returns the lists that the base decides, as texts. */
const listsOf = ({ exclude, failOn, severities }: Settings) => [
  ["exclude", exclude] as const,
  ["failOn", failOn] as const,
  ["severities", severities.map(({ code, severity }) => sentence`${code} (${severity})`)] as const,
];

/** Returns what a change does to the settings that its base decides, as parts of a sentence. */
export function settingsEffects(base: Settings, own: Settings): readonly string[] {
  const before = new Map<string, readonly string[]>(listsOf(base));
  const ofLists = listsOf(own).flatMap(([name, after]) => {
    const old = before.get(name) ?? [];
    return [
      ...moreIn<string>(after, old).map((item) => sentence`adds ${item} to ${name}`),
      ...moreIn<string>(old, after).map((item) => sentence`removes ${item} from ${name}`),
    ];
  });
  const isOther = base.acceptances !== own.acceptances;
  return [...ofLists, ...(isOther ? [sentence`sets acceptances to ${own.acceptances}`] : [])];
}

/** What a change does to what decides about it. */
type Effects = Readonly<{
  /** What it does to the settings that its base decides. */
  effects: readonly string[];
  /** What it accepts that its base does not. */
  added: readonly string[];
}>;

/** Returns sentences about what a change does to what decides about it; empty if it is nothing. */
export function changeNote({ effects, added }: Effects): string {
  return [
    added.length > 0 && sentence`This change ${added.join(", and ")}.`,
    effects.length > 0 &&
      sentence`This change ${effects.join(", and ")} in ${settingsFile}: that counts from when it is merged.`,
  ]
    .filter((one) => one !== false)
    .join(" ");
}

/** A repository, with the settings that decide about it. */
export type Repository = Readonly<{
  root: string;
  settings: Settings;
  /** The file with the settings; undefined without one. */
  file: string | undefined;
  /** Returns the path of a file, or of a folder that is rendered, from the root of the repository that it lies in. */
  pathOf(file: string): string;
  /** Returns the same for reports: what lies in no repository as it was given. */
  nameOf(file: string): string;
  /** How its checks read manifests. */
  reading: Reading;
  /** The clusters that the settings name. */
  clusters: readonly NamedCluster[];
}>;

const roots = new Map<string, string | undefined>();

/** Returns the nearest folder with `.git`, which a worktree has as a file. */
function gitAbove(folder: string): string | undefined {
  const known = roots.get(folder);
  if (known !== undefined || roots.has(folder)) return known;
  const above = dirname(folder);
  const root = existsSync(join(folder, ".git")) ? folder : above === folder ? undefined : gitAbove(above);
  roots.set(folder, root);
  return root;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await sourceOf(path)).text;
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return undefined;
    throw error instanceof UsageError ? error : unreadable(path, error);
  }
}

function contentOf(text: string, file: string): unknown {
  try {
    return parseYamlDocument(text).value;
  } catch (error) {
    if (!(error instanceof YamlDocumentError)) throw error;
    throw new UsageError(`${file}:${error.line}:${error.column}: ${error.message}`, { cause: error });
  }
}

/** Returns the settings in a file. Throws a `UsageError` for each thing that is wrong in it. */
function settingsIn(text: string, file: string): Settings {
  const value = text.trim() === "" ? {} : contentOf(text, file);
  const { settings, issues } = readSettings(value, file);
  if (issues.length === 0) return settings;
  const object = { ...fieldsOf(value), apiVersion: "v1", kind: "File", metadata: { name: file } };
  const placed = withPlaces(issues, [{ object, file, document: 1, line: 1, path: [] }], [{ file, text }]);
  const textOf = (one: Issue) => `${placeText(one)}${one.severity}: ${issueSentences(one)}`;
  throw new AggregateError(redactTexts(placed).map((issue) => new UsageError(textOf(issue))));
}

/** Returns a repository with the settings that decide about it. */
export function decidedBy({ root, file }: Pick<Repository, "root" | "file">, settings: Settings): Repository {
  const pathOf = (given: string): string => {
    const full = resolve(renderedFolder(given)?.folder ?? given);
    // Another checkout has a root of its own.
    return relative(gitAbove(dirname(full)) ?? root, full)
      .split(sep)
      .join("/");
  };
  const isAtOneOf = (patterns: readonly string[], given: string) =>
    patterns.some((pattern) => matchesPath(pattern, pathOf(given)));
  return {
    root,
    settings,
    file,
    pathOf,
    nameOf: (given) => (given === stdinName || pathOf(given).startsWith("..") ? given : pathOf(given)),
    reading: { isExcluded: (given) => isAtOneOf(settings.exclude, given), isCheck: true },
    clusters: settings.clusters.map(({ name, paths, release }) => ({
      name,
      release,
      has: (given) => isAtOneOf(paths, given),
    })),
  };
}

/**
 * Returns the repository of a folder: what has `.git` around it, else the folder itself, with the settings of its
 * `.hubrelay.yaml`. Throws `UsageError` for invalid settings.
 */
export async function repositoryOf(folder = process.cwd()): Promise<Repository> {
  const root = gitAbove(folder) ?? folder;
  const path = join(root, settingsFile);
  const file = relative("", path) || path;
  const text = await textOf(path);
  const settings = text === undefined ? noSettings : settingsIn(text, file);
  return decidedBy({ root, file: text === undefined ? undefined : file }, settings);
}

/** Returns what can be read of the settings of a base: a change may be what corrects them. */
function settingsOfBase(text: string | undefined): Settings {
  try {
    return readSettings(parseYamlDocument(text ?? "{}").value ?? {}, settingsFile).settings;
  } catch (error) {
    if (error instanceof YamlDocumentError) return noSettings;
    throw error;
  }
}

/** A change, and what it is compared with: both read by the settings of the base. */
export type ChangedRepository = Readonly<{
  before: Repository;
  after: Repository;
  /** What the change does to the settings, as parts of a sentence. */
  effects: readonly string[];
}>;

/** Returns a change of a repository whose base is in `root`. */
export async function changedRepository(own: Repository, root: string): Promise<ChangedRepository> {
  const base = settingsOfBase(await textOf(join(root, settingsFile)));
  const settings = decidingSettings(base, own.settings);
  return {
    before: decidedBy({ root, file: undefined }, { ...settings, accept: base.accept }),
    after: decidedBy(own, settings),
    effects: settingsEffects(base, own.settings),
  };
}

/**
 * Returns the repositories of two sides of a comparison: one where they lie in the same. A side that is no path (`hub`, `-`)
 * has the settings of the other one.
 */
export async function repositoriesOf(before: string, after: string): Promise<ChangedRepository> {
  const ofAfter = await folderOf(after);
  const own = await repositoryOf(ofAfter && rootOf(ofAfter, process.cwd()));
  const ofBefore = await folderOf(before);
  const root = ofBefore && rootOf(ofBefore, own.root);
  if (root === undefined || root === own.root) return { before: own, after: own, effects: [] };
  return changedRepository(own, root);
}

/** Returns the root of what a folder lies in: a repository, or the folder itself if it is not below another root. */
const rootOf = (folder: string, other: string): string =>
  gitAbove(folder) ??
  (existsSync(join(folder, settingsFile)) || !`${folder}/`.startsWith(`${other}/`) ? folder : other);

/** Returns the folder of a side; undefined for one that is no path. */
async function folderOf(side: string): Promise<string | undefined> {
  const path = renderedFolder(side)?.folder ?? side;
  const stats = side === "-" || side === "hub" ? undefined : await stat(path).catch(() => undefined);
  return stats && resolve(stats.isDirectory() ? path : dirname(path));
}
