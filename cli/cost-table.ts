import { styleText } from "node:util";
import { changeDetails, changedName } from "#shared/domain/node-cost/change-text.ts";
import type { CostReport } from "#shared/domain/node-cost/compare-sides.ts";
import type { Cost } from "#shared/domain/node-cost/cost.ts";
import type { PoolCost } from "#shared/domain/node-cost/pool-cost.ts";
import { costWindowText } from "#shared/domain/windows/cost-window.ts";
import { type Cell, table } from "./table.ts";

const colours = { none: "dim", reload: "green", drain: "yellow", reboot: "red" } as const;

function painted(text: string, cost: Cost, stream: NodeJS.WriteStream): Cell {
  return { text, paint: (shown) => styleText(colours[cost], shown, { stream }) };
}

function whenText({ paused, waits, maxCost, window }: PoolCost): string {
  if (waits) return ` Waits: the pool allows ${maxCost}${window ? `; for ${costWindowText(window)}` : ""}.`;
  if (window && !paused) return ` Goes ahead by ${costWindowText(window)}.`;
  return paused ? " The pool is paused: not before it is resumed." : "";
}

function nodesText({ machineCount, maxUnavailable }: PoolCost): string {
  const count = machineCount === null ? "" : `${machineCount}, `;
  return `${count}${maxUnavailable} at a time`;
}

/** The report for a person: the cost on top, then every change with its reason, then what each pool does. */
export function costTable({ cost, changes, pools }: CostReport, stream: NodeJS.WriteStream): string {
  const bold = (text: string) => styleText("bold", text, { stream });
  const headline = `${bold("Cost")} ${styleText(colours[cost], cost, { stream })}\n`;
  if (changes.length === 0) return `${headline}\nNothing changes on any node.\n`;

  const heading = (text: string): Cell => ({ text, paint: bold });
  const changeRows = changes.flatMap((change): (readonly Cell[])[] => {
    const code = `[${change.rule.code}]`;
    const why: Cell = {
      text: `${change.rule.text} ${code}`,
      paint: (text) => text.slice(0, -code.length) + styleText("dim", code, { stream }),
    };
    return [
      [painted(change.cost, change.cost, stream), change.kind, changedName(change), why],
      ...changeDetails(change).map((detail) => ["", "", "", `  ${detail}`]),
    ];
  });
  const poolRows = pools.map((pool): readonly Cell[] => [
    painted(pool.cost, pool.cost, stream),
    pool.name,
    nodesText(pool),
    `${pool.actions.join(", ") || "nothing"}.${whenText(pool)}`,
  ]);
  return [
    headline,
    table([[heading("COST"), heading("CHANGE"), heading("WHAT"), heading("WHY")], ...changeRows]),
    table([[heading("COST"), heading("POOL"), heading("NODES"), heading("EACH NODE")], ...poolRows]),
  ].join("\n");
}
