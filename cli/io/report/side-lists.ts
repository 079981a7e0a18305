import { type Assumption, type Coverage, coverageLines } from "#shared/domain/issues/coverage.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { joined, printMessage, type SafeText, safe } from "../safe-text.ts";

/** Renders the coverage gaps of a result; empty for a complete coverage. */
export function coverageText(coverage: Coverage): SafeText {
  const found = coverageLines(coverage);
  return found.length === 0 ? safe`` : safe`\n${found.map((line) => safe`${line}\n`)}`;
}

/** Returns a function that renders a result as `text` does, and the coverage below it. */
export function withCoverage<Found>(
  text: (found: Found) => SafeText,
): (found: Found & Readonly<{ coverage: Coverage }>) => SafeText {
  return (found) => safe`${text(found)}${coverageText(found.coverage)}`;
}

type Named = Readonly<{ name: string }>;

/** Reports on standard error that there are several clusters. */
export function reportClusters(clusters: readonly Named[]): void {
  if (clusters.length < 2) return;
  const names = clusters.map(({ name }) => name);
  printMessage(safe`${clusters.length} clusters, a result for each: ${someOf(names, 10)}`);
}

/** The cluster of a list's item; absent if there is only one cluster. */
export type OfSide = Readonly<{ side?: string }>;

/** Adds the cluster's name to each item. Adds nothing if there is only one cluster, whose name is empty. */
export function ofSide<Item extends object>(
  { name }: Named,
  items: readonly Item[],
): readonly (Item & OfSide)[] {
  return name === "" ? items : items.map((item) => ({ ...item, side: name }));
}

/** Returns each assumption once, with its clusters unless it applies to all. */
export function assumedOnce(all: readonly (Assumption & OfSide)[], clusters: number): readonly Assumption[] {
  return [...Map.groupBy(all, ({ text }) => text)].flatMap(([text, same]) => {
    const names = [...new Set(same.flatMap(({ side }) => side ?? []))];
    const isOfAll = names.length === clusters || same.some(({ side }) => side === undefined);
    const said = isOfAll ? text : sentence`${text} (${someOf(names, 3)})`;
    return same.slice(0, 1).map(({ what }) => ({ what, text: said }));
  });
}

/** Renders the items of each cluster below its name, as `ls` does with folders; a single cluster has no name. */
export function listedBySide<Item extends OfSide>(
  items: readonly Item[],
  list: (own: readonly Item[]) => SafeText,
): SafeText {
  const bySide = [...Map.groupBy(items, ({ side = "" }) => side)];
  if (bySide.length < 2 && !bySide[0]?.[0]) return list(items);
  return joined(
    bySide.map(([name, own]) => safe`${name}:\n${list(own)}`),
    safe`\n`,
  );
}
