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

/** Returns the items of the first list that are not in the second list. */
export const moreIn = <Item>(items: readonly Item[], others: readonly Item[]): readonly Item[] =>
  items.filter((item) => !others.some((other) => isSameJson(item, other)));

/** Returns the settings for a check of a change. Only clusters and acceptances are from after the change. */
export const decidingSettings = (base: Settings, { clusters, accept }: Settings): Settings => ({
  ...base,
  clusters,
  accept,
});

const listsOf = ({ exclude, failOn, severities }: Settings) => [
  ["exclude", exclude] as const,
  ["failOn", failOn] as const,
  ["severities", severities.map(({ code, severity }) => sentence`${code} (${severity})`)] as const,
];

/** Returns the changes of settings that take effect only after the merge, as parts of a sentence. */
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

type Effects = Readonly<{
  /** Changes of settings that take effect only after the merge, as parts of a sentence. */
  effects: readonly string[];
  /** The issues that the change newly accepts, as parts of a sentence. */
  added: readonly string[];
}>;

/** Returns sentences about newly accepted issues and changed settings; empty if there are none. */
export function changeNote({ effects, added }: Effects): string {
  return [
    added.length > 0 && sentence`This change ${added.join(", and ")}.`,
    effects.length > 0 &&
      sentence`This change ${effects.join(", and ")} in ${settingsFile}: that counts from when it is merged.`,
  ]
    .filter((one) => one !== false)
    .join(" ");
}

/** A repository, and the settings for checks in it. */
export type Repository = Readonly<{
  root: string;
  settings: Settings;
  file: string | undefined;
  /** Returns the path of a file or rendered folder relative to the root of its repository. */
  pathOf(file: string): string;
  /** Returns the path of a file for reports. A file outside of the repository has its path as given. */
  nameOf(file: string): string;
  reading: Reading;
  clusters: readonly NamedCluster[];
}>;

const roots = new Map<string, string | undefined>();

/** Returns the nearest folder with `.git`: `folder` or a folder above. Undefined if there is none. */
export function gitAbove(folder: string): string | undefined {
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

function settingsIn(text: string, file: string): Settings {
  const value = text.trim() === "" ? {} : contentOf(text, file);
  const { settings, issues } = readSettings(value, file);
  if (issues.length === 0) return settings;
  const object = { ...fieldsOf(value), apiVersion: "v1", kind: "File", metadata: { name: file } };
  const placed = withPlaces(issues, [{ object, file, document: 1, line: 1, path: [] }], [{ file, text }]);
  const textOf = (one: Issue) => `${placeText(one)}${one.severity}: ${issueSentences(one)}`;
  throw new AggregateError(redactTexts(placed).map((issue) => new UsageError(textOf(issue))));
}

/** Returns a repository with these settings. */
export function decidedBy({ root, file }: Pick<Repository, "root" | "file">, settings: Settings): Repository {
  const pathOf = (given: string): string => {
    const full = resolve(renderedFolder(given)?.folder ?? given);
    // A file in another checkout has a path relative to that checkout's root.
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

/** Returns the repository of a folder; outside of git, the folder itself. Throws `UsageError` for invalid settings. */
export async function repositoryOf(folder = process.cwd()): Promise<Repository> {
  const root = gitAbove(folder) ?? folder;
  const path = join(root, settingsFile);
  const file = relative("", path) || path;
  const text = await textOf(path);
  const settings = text === undefined ? noSettings : settingsIn(text, file);
  return decidedBy({ root, file: text === undefined ? undefined : file }, settings);
}

/** Invalid settings are ignored, since the change may correct them. */
function settingsOfBase(text: string | undefined): Settings {
  try {
    return readSettings(parseYamlDocument(text ?? "{}").value ?? {}, settingsFile).settings;
  } catch (error) {
    if (error instanceof YamlDocumentError) return noSettings;
    throw error;
  }
}

/** A repository before and after a change. The settings of both come from before it, as in `decidingSettings`. */
export type ChangedRepository = Readonly<{
  before: Repository;
  after: Repository;
  /** Changes of settings that take effect only after the merge, as parts of a sentence. */
  effects: readonly string[];
}>;

/** Returns the repository `own` before and after a change. `root` is the root folder of its copy before the change. */
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
 * Returns the repositories on both sides of a comparison: the same one if it has both sides. If `before` is not a path
 * (`hub`, `-`), it has the repository of `after`; if `after` is not, it has that of the working folder.
 */
export async function repositoriesOf(before: string, after: string): Promise<ChangedRepository> {
  const ofAfter = await folderOf(after);
  const own = await repositoryOf(ofAfter && rootOf(ofAfter, process.cwd()));
  const ofBefore = await folderOf(before);
  const root = ofBefore && rootOf(ofBefore, own.root);
  if (root === undefined || root === own.root) return { before: own, after: own, effects: [] };
  return changedRepository(own, root);
}

const rootOf = (folder: string, other: string): string =>
  gitAbove(folder) ??
  (existsSync(join(folder, settingsFile)) || !`${folder}/`.startsWith(`${other}/`) ? folder : other);

async function folderOf(side: string): Promise<string | undefined> {
  const path = renderedFolder(side)?.folder ?? side;
  const stats = side === "-" || side === "hub" ? undefined : await stat(path).catch(() => undefined);
  return stats && resolve(stats.isDirectory() ? path : dirname(path));
}
