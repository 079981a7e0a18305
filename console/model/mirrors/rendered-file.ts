import { parseJson } from "#shared/domain/kubernetes/json/values.ts";
import type { Origin } from "#shared/domain/mirrors/explain/explain-order.ts";
import type { SourceExplanation } from "#shared/domain/mirrors/explain/explain-source.ts";
import { withPresentTexts } from "#shared/domain/mirrors/present-files.ts";
import { type NodeFile, nodePaths } from "#shared/domain/openshift/machine-config/node-file.ts";
import { folded, type LineChange, lineChanges } from "./line-changes.ts";

/** A line of the file. */
export type FileLine = LineChange &
  Readonly<{
    /** The source whose entry has it. */
    scope?: string;
    /** It begins the entry. */
    isEntry?: true;
    /** The fields that it is from. */
    from?: readonly Origin[];
  }>;

/** The file of nodes as it will be, with what changes. */
export type RenderedFile = Readonly<{
  path: string;
  pool: string | undefined;
  lines: readonly FileLine[];
  isChanged: boolean;
}>;

const unquoted = (text: string): string => {
  const value = parseJson(text);
  return typeof value === "string" ? value : "";
};

const entryLine = /^(?: {2}(prefix|location) = )?("[^"].*"):?$/;
const mirrorLine = /^ {4}location = (".*")$/;

/** Returns the fields that a line of a source's entry is from. */
function originsOf(text: string, source: SourceExplanation, mirror: string): readonly Origin[] {
  if (text.startsWith("  blocked")) return source.blockedBy;
  if (text.startsWith("  insecure")) return source.insecureBy;
  const own = source.mirrors.find(({ location }) => location === mirror);
  if (text.startsWith("    location")) return own?.listedBy ?? [];
  return text.startsWith("    insecure") ? (own?.insecureBy ?? []) : [];
}

/** Returns the lines with the fields that they are from; of what is removed no field is known. */
function withOrigins(
  lines: readonly LineChange[],
  sources: readonly SourceExplanation[],
): readonly FileLine[] {
  const byScope = new Map(sources.map((source) => [source.scope, source]));
  let [scope, mirror, hasPrefix] = ["", "", false];
  return lines.map((line): FileLine => {
    const { text, change } = line;
    if (change === "removed") return line;
    if (text.startsWith("[")) hasPrefix = false;
    const [, field, named] = entryLine.exec(text) ?? [];
    if (named && !(hasPrefix && field === "location")) {
      scope = unquoted(named);
      hasPrefix = field === "prefix";
      return { ...line, scope, isEntry: true };
    }
    const [, location] = mirrorLine.exec(text) ?? [];
    if (location) mirror = unquoted(location);
    const source = byScope.get(scope);
    return source ? { ...line, scope, from: originsOf(text, source, mirror) } : line;
  });
}

/**
 * Returns registries.conf of a pool as it will be, compared with the present one; of a long one only what changes, or
 * what `search` leaves of it. Undefined where it has no lines.
 */
export function renderedFile(
  before: readonly NodeFile[],
  files: readonly NodeFile[],
  sources: readonly SourceExplanation[],
  { pool, isFound }: Readonly<{ pool: string | undefined; isFound?: (scope: string) => boolean }>,
): RenderedFile | undefined {
  const path = nodePaths.registriesConf;
  const textIn = (found: readonly NodeFile[]) => found.find((file) => file.path === path)?.contents ?? "";
  const lines = withOrigins(lineChanges(textIn(before), textIn(withPresentTexts(files, before))), sources);
  if (lines.length === 0) return undefined;
  return {
    path,
    pool,
    lines: isFound
      ? folded(lines, { isKept: ({ scope }) => scope !== undefined && isFound(scope), name: "other" })
      : folded(lines),
    isChanged: lines.some(({ change }) => change !== "same"),
  };
}
