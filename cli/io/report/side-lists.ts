import { type Assumption, type Coverage, coverageLines } from "#shared/domain/issues/coverage.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { joined, printMessage, type SafeText, safe } from "../safe-text.ts";

/** Renders the coverage gaps of a result; empty if there are none. */
export function coverageText(coverage: Coverage): SafeText {
  const found = coverageLines(coverage);
  return found.length === 0 ? safe`` : safe`\n${found.map((line) => safe`${line}\n`)}`;
}

/** Returns a function that renders a result with `text`, and the coverage gaps below. */
export function withCoverage<Found>(
  text: (found: Found) => SafeText,
): (found: Found & Readonly<{ coverage: Coverage }>) => SafeText {
  return (found) => safe`${text(found)}${coverageText(found.coverage)}`;
}

type Named = Readonly<{ name: string }>;

/** Prints the names of the clusters on standard error if there are several. */
export function reportClusters(clusters: readonly Named[]): void {
  if (clusters.length < 2) return;
  const names = clusters.map(({ name }) => name);
  printMessage(safe`${clusters.length} clusters, a result for each: ${someOf(names, 10)}`);
}

/** The name of the cluster to which an item of a list belongs; absent if there is only one cluster. */
export type OfSide = Readonly<{ side?: string }>;

/** Adds the cluster's name to each item. Adds nothing if the name is empty. */
export function ofSide<Item extends object>(
  { name }: Named,
  items: readonly Item[],
): readonly (Item & OfSide)[] {
  return name === "" ? items : items.map((item) => ({ ...item, side: name }));
}

/** Returns each assumption once. If an assumption is about only some of the clusters, its text names these clusters. */
export function assumedOnce(all: readonly (Assumption & OfSide)[], clusters: number): readonly Assumption[] {
  return [...Map.groupBy(all, ({ text }) => text)].flatMap(([text, same]) => {
    const names = [...new Set(same.flatMap(({ side }) => side ?? []))];
    const isOfAll = names.length === clusters || same.some(({ side }) => side === undefined);
    const said = isOfAll ? text : sentence`${text} (${someOf(names, 3)})`;
    return same.slice(0, 1).map(({ what }) => ({ what, text: said }));
  });
}

/** Renders the items of each cluster below the cluster's name. With one cluster, no name is shown. */
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
