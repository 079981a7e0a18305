import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileErrorCode } from "#shared/adapters/file-errors.ts";
import { redactTexts } from "#shared/domain/credentials/redact.ts";
import { fieldsOf } from "#shared/domain/json/values.ts";
import { withPlaces } from "#shared/domain/manifests/issue-places.ts";
import { parseYamlDocument, YamlDocumentError } from "#shared/domain/manifests/yaml-document.ts";
import { matchesPath } from "#shared/domain/repository/path-pattern.ts";
import { noSettings, readSettings, type Settings, settingsFile } from "#shared/domain/repository/settings.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { renderedFolder } from "../../program/rendered-argument.ts";
import type { NamedCluster } from "../clusters/sides.ts";
import { sourceOf, unreadable } from "../input-text.ts";
import { issueText } from "../issue-text.ts";
import type { Reading } from "../manifest-texts.ts";

/** The repository that a command works in. */
export type Repository = Readonly<{
  settings: Settings;
  /** The file with the settings; undefined without one. */
  file: string | undefined;
  /** Returns the path of a file, or of a folder that is rendered, from the root of the repository that it lies in. */
  pathOf(file: string): string;
  /** How its checks read manifests. */
  reading: Reading;
  /** The clusters that the settings name. */
  clusters: readonly NamedCluster[];
}>;

const roots = new Map<string, string | undefined>();

/** Returns the nearest folder with `.git`, which a worktree has as a file. */
function rootAbove(folder: string): string | undefined {
  const known = roots.get(folder);
  if (known !== undefined || roots.has(folder)) return known;
  const above = dirname(folder);
  const root = existsSync(join(folder, ".git")) ? folder : above === folder ? undefined : rootAbove(above);
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
  throw new AggregateError(redactTexts(placed).map((issue) => new UsageError(issueText(issue).toString())));
}

/**
 * Returns the repository of a folder: what has `.git` around it, else the folder itself, with the settings of its
 * `.hubrelay.yaml`. Throws `UsageError` for invalid settings.
 */
export async function repositoryOf(folder = process.cwd()): Promise<Repository> {
  const root = rootAbove(folder) ?? folder;
  const path = join(root, settingsFile);
  const file = relative(folder, path) || path;
  const text = await textOf(path);
  const settings = text === undefined ? noSettings : settingsIn(text, file);
  const pathOf = (given: string): string => {
    const full = resolve(folder, renderedFolder(given)?.folder ?? given);
    // The old side of a comparison is another checkout.
    return relative(rootAbove(dirname(full)) ?? root, full)
      .split(sep)
      .join("/");
  };
  const isAtOneOf = (patterns: readonly string[], given: string) =>
    patterns.some((pattern) => matchesPath(pattern, pathOf(given)));
  return {
    settings,
    file: text === undefined ? undefined : file,
    pathOf,
    reading: { isExcluded: (given) => isAtOneOf(settings.exclude, given), isCheck: true },
    clusters: settings.clusters.map(({ name, paths, release }) => ({
      name,
      release,
      has: (given) => isAtOneOf(paths, given),
    })),
  };
}
