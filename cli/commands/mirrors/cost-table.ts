import { changeDetails, changedName } from "#shared/domain/diff/change-text.ts";
import type { CostReport } from "#shared/domain/diff/compare-sides.ts";
import type { PoolCost } from "#shared/domain/diff/pool-cost.ts";
import type { Cost } from "#shared/domain/node-cost/cost.ts";
import { costWindowText } from "#shared/domain/windows/cost-window.ts";
import { joined, painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";

const colours = { none: "dim", reload: "green", drain: "yellow", reboot: "red", replace: "red" } as const;

const costText = (cost: Cost): SafeText => painted(colours[cost], cost);
const heading = (text: string): SafeText => painted("bold", text);

/** Returns when a pool makes the change, as sentences that follow another; empty when nothing delays it. */
export function whenText({ paused, waits, maxCost, window }: PoolCost): string {
  if (waits) return ` Waits: the pool allows ${maxCost}${window ? `; for ${costWindowText(window)}` : ""}.`;
  if (window && !paused) return ` Goes ahead by ${costWindowText(window)}.`;
  return paused ? " The pool is paused: not before it is resumed." : "";
}

/** Returns how many nodes a pool has, if that is known, and how many change at a time. */
export function nodesText({ machineCount, maxUnavailable }: PoolCost): string {
  const count = machineCount === null ? "" : `${machineCount}, `;
  return `${count}${maxUnavailable} at a time`;
}

/** Renders the report: the cost, then every change with its reason, then the actions of each pool. */
export function costTable({ cost, changes, pools }: CostReport): SafeText {
  const headline = safe`${heading("Cost")} ${costText(cost)}\n`;
  if (changes.length === 0) return safe`${headline}\nNothing changes on any node.\n`;

  const changeRows = changes.flatMap((change): (readonly Cell[])[] => {
    const why = safe`${change.rule.text} ${painted("dim", `[${change.rule.code}]`)}`;
    return [
      [costText(change.cost), change.kind, changedName(change), why],
      ...changeDetails(change).map((detail) => ["", "", "", `  ${detail}`]),
    ];
  });
  const poolRows = pools.map((pool): readonly Cell[] => [
    costText(pool.cost),
    pool.name,
    nodesText(pool),
    `${pool.actions.join(", ") || "nothing"}.${whenText(pool)}`,
  ]);
  const parts = [
    headline,
    table([["COST", "CHANGE", "WHAT", "WHY"].map(heading), ...changeRows]),
    table([["COST", "POOL", "NODES", "EACH NODE"].map(heading), ...poolRows]),
  ];
  return joined(parts, safe`\n`);
}
