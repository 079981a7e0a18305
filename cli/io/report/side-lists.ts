import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { joined, printMessage, type SafeText, safe } from "../safe-text.ts";

type Named = Readonly<{ name: string }>;

/** Reports on standard error that there are several clusters; not beside issues that programs read. */
export function reportClusters(clusters: readonly Named[], format: "text" | "json"): void {
  if (clusters.length < 2 || format === "json") return;
  const names = someOf(
    clusters.map(({ name }) => name),
    10,
  );
  printMessage(safe`${clusters.length} clusters, a result for each: ${names}`);
}

/** What a list has for an item of one of several clusters. */
export type OfSide = Readonly<{ side?: string }>;

/** Returns items of a cluster with its name, if that is one of several. */
export function ofSide<Item extends object>(
  { name }: Named,
  items: readonly Item[],
): readonly (Item & OfSide)[] {
  return name === "" ? items : items.map((item) => ({ ...item, side: name }));
}

/** Renders the items of each cluster below its name, as `ls` does with folders; those of a single one as they are. */
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
