import { diff } from "node:util";
import { registriesConfDifference } from "#shared/domain/mirrors/registries-conf/registries-conf-difference.ts";
import { withPresentTexts } from "#shared/domain/mirrors/written-files.ts";
import { type NodeFile, nodePaths } from "#shared/domain/openshift/machine-config/node-file.ts";

/** A line of both texts, of the first only, or of the second only. `folded` stands for omitted lines. */
export type LineChange = Readonly<{ change: "same" | "removed" | "added" | "folded"; text: string }>;

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** With more lines a comparison line by line takes noticeable time. */
const maxLines = 4_000;

function byTable(before: string, after: string): readonly LineChange[] {
  return registriesConfDifference(before, after).map((text): LineChange => {
    if (text.startsWith("- ")) return { change: "removed", text: text.slice(2) };
    if (text.startsWith("+ ")) return { change: "added", text: text.slice(2) };
    return { change: "same", text };
  });
}

const changes = { "0": "same", "1": "removed", "-1": "added" } as const;

/** Returns the lines of two texts of registries.conf, in order; for very long texts only the tables that differ. */
export function lineChanges(before: string, after: string): readonly LineChange[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  if (before === after) return now.map((text) => ({ change: "same", text }));
  if (old.length + now.length > maxLines) return byTable(before, after);
  return diff(old, now).map(([operation, text]) => ({ change: changes[`${operation}`], text }));
}

const context = 3;
/** The shown lines of a file without changes. */
const maxUnchanged = 400;

/** Replaces lines that are far from every change with their number; of a file without changes, shows the first 400 lines. */
export function folded(lines: readonly LineChange[]): readonly LineChange[] {
  const near = new Set<number>();
  for (const [index, line] of lines.entries())
    if (line.change !== "same") for (let at = index - context; at <= index + context; at++) near.add(at);
  const isShown = (index: number) => (near.size === 0 ? index < maxUnchanged : near.has(index));
  const shown: LineChange[] = [];
  let left = 0;
  const fold = () => {
    if (left > 0)
      shown.push({ change: "folded", text: `${left} unchanged ${left === 1 ? "line" : "lines"}` });
    left = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (!isShown(index)) {
      left++;
      continue;
    }
    fold();
    shown.push(line);
  }
  fold();
  return shown;
}

/** The future file of nodes, with its changes. */
export type RenderedFile = Readonly<{
  path: string;
  pool: string | undefined;
  lines: readonly LineChange[];
  isChanged: boolean;
}>;

/**
 * Returns the future registries.conf of a pool, compared with the present one; of a long file only the changes. Undefined
 * for a file without lines.
 */
export function renderedFile(
  before: readonly NodeFile[],
  files: readonly NodeFile[],
  pool: string | undefined,
): RenderedFile | undefined {
  const path = nodePaths.registriesConf;
  const textIn = (found: readonly NodeFile[]) => found.find((file) => file.path === path)?.contents ?? "";
  const lines = lineChanges(textIn(before), textIn(withPresentTexts(files, before)));
  if (lines.length === 0) return undefined;
  return { path, pool, lines: folded(lines), isChanged: lines.some(({ change }) => change !== "same") };
}
