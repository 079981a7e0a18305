import { changeDetails, changedName } from "#shared/domain/diff/change-text.ts";
import type { CostReport, PoolCost } from "#shared/domain/diff/compare-sides.ts";
import { type DiffReport, unchangedText } from "#shared/domain/diff/diff-report.ts";
import type { HostedClusterCost } from "#shared/domain/diff/hosted-cluster-cost.ts";
import type { PolicyChange } from "#shared/domain/diff/policy-change.ts";
import { coverageLines } from "#shared/domain/issues/coverage.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import type { Cost } from "#shared/domain/plan/cost.ts";
import { costWindowText } from "#shared/domain/windows/cost-window.ts";
import { joined, painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";
import { countsText, fixedText } from "./pull-request-comment/issues-markdown.ts";

const colours = { none: "dim", reload: "green", drain: "yellow", reboot: "red", replace: "red" } as const;

const costText = (cost: Cost): SafeText => painted(colours[cost], cost);
const heading = (text: string): SafeText => painted("bold", text);
const tableOf = (heads: readonly string[], rows: readonly (readonly Cell[])[]): readonly SafeText[] =>
  rows.length === 0 ? [] : [table([heads.map(heading), ...rows])];

/** Returns a sentence about when a pool makes the change; empty if nothing delays or restricts the change. */
export function whenText({ paused, waits, maxCost, window }: PoolCost): string {
  if (paused && !waits) return " The pool is paused: not before it is resumed.";
  if (waits) return ` Waits: the pool allows ${maxCost}${window ? `; for ${costWindowText(window)}` : ""}.`;
  return window ? ` Goes ahead by ${costWindowText(window)}.` : "";
}

function hostedTable(clusters: readonly HostedClusterCost[]): readonly SafeText[] {
  const rows = clusters.flatMap((cluster): (readonly Cell[])[] => {
    const why = safe`${cluster.rule.text} ${painted("dim", `[${cluster.rule.code}]`)}`;
    return [
      [costText(cluster.cost), `${cluster.namespace}/${cluster.name}`, why],
      ...cluster.differences.map((difference) => ["", "", `  ${difference}`]),
    ];
  });
  return tableOf(["COST", "HOSTED CLUSTER", "ITS NODES"], rows);
}

/** Returns a text with the number of a pool's nodes, if it is known, and how many nodes change at the same time. */
export function nodesText({ machineCount, maxUnavailable }: PoolCost): string {
  const count = machineCount === null ? "" : `${machineCount}, `;
  return `${count}${maxUnavailable} at a time`;
}

/** Returns the actions that each node of a pool performs, joined by commas; `nothing` without actions. */
export const actionsText = ({ actions }: PoolCost): string => actions.join(", ") || "nothing";

/** Returns a short text with the names of pools: at most three names, and the number of the other pools. */
export const poolsText = (pools: readonly string[]): string => someOf(pools, 3);

function poolTables({ changes, pools }: CostReport): readonly SafeText[] {
  if (changes.length === 0) return [];

  const changeRows = changes.flatMap((change): (readonly Cell[])[] => {
    const why = safe`${change.rule.text} ${painted("dim", `[${change.rule.code}]`)}`;
    return [
      [costText(change.cost), poolsText(change.pools), change.kind, changedName(change), why],
      ...changeDetails(change).map((detail) => ["", "", "", "", `  ${detail}`]),
    ];
  });
  const poolRows = pools.map((pool): readonly Cell[] => [
    costText(pool.cost),
    pool.name,
    nodesText(pool),
    `${actionsText(pool)}.${whenText(pool)}`,
  ]);
  return [
    ...tableOf(["COST", "POOL", "CHANGE", "WHAT", "WHY"], changeRows),
    ...tableOf(["COST", "POOL", "NODES", "EACH NODE"], poolRows),
  ];
}

const effectColours = { weaker: "red", stricter: "yellow", other: "dim" } as const;

function policyTable(policies: readonly PolicyChange[]): readonly SafeText[] {
  const rows = policies.map(({ effect, text }) => [painted(effectColours[effect], effect), text]);
  return tableOf(["POLICY", "IMAGES"], rows);
}

/** Renders the cost: every change with its reason, and what the nodes of each pool and hosted cluster do. */
export function costTable(report: CostReport, unchanged = "nothing changes on any node"): SafeText {
  const { policies, hostedClusters } = report;
  const tables = [...poolTables(report), ...policyTable(policies), ...hostedTable(hostedClusters)];
  const found =
    tables.length > 0 ? tables : [safe`${unchanged.charAt(0).toUpperCase()}${unchanged.slice(1)}.\n`];
  return joined([safe`${heading("Cost")} ${costText(report.cost)}\n`, ...found], safe`\n`);
}

function notesOf(report: DiffReport): readonly string[] {
  const names = someOf(report.fixedIssues.map(fixedText));
  const fixed = names ? [`Fixed by the new side: ${countsText(report.fixed)}: ${names}.`] : [];
  return [...fixed, ...coverageLines(report.coverage)];
}

const linesOf = (notes: readonly string[]): readonly SafeText[] =>
  notes.length > 0 ? [safe`${notes.map((note) => safe`${note}\n`)}`] : [];

/** Renders the result of `hubrelay diff` for one cluster. */
export function diffTable(report: DiffReport): SafeText {
  const table = costTable(report, unchangedText(report.coverage));
  const parts = [linesOf(report.consequences), [table], linesOf(notesOf(report))];
  return joined(parts.flat(), safe`\n`);
}
