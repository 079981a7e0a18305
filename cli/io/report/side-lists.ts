import { type Coverage, coverageLines } from "#shared/domain/issues/coverage.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
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
  const names = someOf(
    clusters.map(({ name }) => name),
    10,
  );
  printMessage(safe`${clusters.length} clusters, a result for each: ${names}`);
}

/** The cluster of a list's item; absent if there is only one cluster. */
export type OfSide = Readonly<{ side?: string }>;

/** Returns the items with the name of their cluster, if it is one of several. */
export function ofSide<Item extends object>(
  { name }: Named,
  items: readonly Item[],
): readonly (Item & OfSide)[] {
  return name === "" ? items : items.map((item) => ({ ...item, side: name }));
}

/** Renders the items of each cluster below its name, as `ls` does with folders; a single cluster's name is omitted. */
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
