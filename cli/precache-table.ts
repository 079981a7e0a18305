import { styleText } from "node:util";
import type { PrecachePlan } from "#shared/domain/precache/precache-plan.ts";
import type { PrecachingSpec } from "#shared/domain/precache/precaching-spec.ts";
import { type Cell, table } from "./table.ts";

const colours = { precache: "green", wait: "yellow", "leave out": "dim" } as const;

/** The spec, a line for each field that is not empty. */
function specRows({ spaceRequired, ...spec }: PrecachingSpec): readonly (readonly Cell[])[] {
  const rows: (readonly [string, string])[] = Object.entries(spec).flatMap(([field, value]) =>
    (typeof value === "string" ? [value] : value)
      .filter((text) => text !== "")
      .map((text, index) => [index === 0 ? `  ${field}` : "", text] as const),
  );
  return spaceRequired === "" ? rows : [...rows, ["  spaceRequired", `${spaceRequired} GiB`]];
}

/** Plans for a person: what is pre-cached, what the conditions tell, and what happens to each cluster. */
export function precacheTable(plans: readonly PrecachePlan[], stream: NodeJS.WriteStream): string {
  if (plans.length === 0) return "There is no ClusterGroupUpgrade.\n";
  const bold = (text: string) => styleText("bold", text, { stream });
  const sections = plans.map(({ namespace, name, spec, conditions, clusters }) => {
    const counted = clusters.filter(({ action }) => action === "precache").length;
    const clusterRows = clusters.map(({ name: cluster, action, reason }): readonly Cell[] => [
      `  ${cluster}`,
      { text: action, paint: (text) => styleText(colours[action], text, { stream }) },
      reason,
    ]);
    const conditionRows = conditions.map(({ type, status, reason, message }): readonly Cell[] => [
      `  ${type}`,
      status,
      reason,
      message.trim(),
    ]);
    return [
      `${bold(`${namespace}/${name}`)}: ${counted} of ${clusters.length} clusters pre-cache\n`,
      table(specRows(spec)),
      table(conditionRows),
      table(clusterRows),
    ].join("");
  });
  return sections.join("\n");
}
