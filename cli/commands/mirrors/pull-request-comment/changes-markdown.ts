import { changeDetails, changedName } from "#shared/domain/diff/change-text.ts";
import type { PoolChange } from "#shared/domain/diff/compare-sides.ts";
import type { DiffReport } from "#shared/domain/diff/diff-report.ts";
import type { Change } from "#shared/domain/node-cost/change.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { poolsText } from "../cost-table.ts";
import { badge, code, folded, limited, oneLine, plain, row } from "./markdown-text.ts";

/** More are folded. */
const maxShown = 6;
const room = 14_000;

type Changes = Pick<DiffReport, "changes" | "policies">;

/** What a policy lets in counts more than that the file only makes services reload. */
const isWeaker = (change: Change, policies: Changes["policies"]) =>
  "path" in change && policies.some(({ path, effect }) => path === change.path && effect === "weaker");

function changeRow(change: PoolChange, policies: Changes["policies"]): string {
  const rule = `${plain(change.rule.text)} (${code(change.rule.code)})`;
  const cost = isWeaker(change, policies) ? `🔴 **weaker**, ${change.cost}` : badge(change.cost);
  return row(cost, code(poolsText(change.pools)), code(changedName(change)), change.kind, rule);
}

function changedLines(changes: readonly Change[], share: number): string {
  const found = changes.flatMap((change) => {
    const details = changeDetails(change).map((line) => oneLine(line));
    return details.length > 0 ? [`@@ ${oneLine(changedName(change))} @@`, ...details] : [];
  });
  if (found.length === 0) return "";
  const text = limited(
    found.map((line) => `${line}\n`),
    "line",
    room * share,
  );
  // The fence is longer than every run of backticks in a value.
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `\n${folded("Changed lines", `${fence}diff\n${text}${fence}`)}`;
}

/** Renders each change with its cost and rule, a share of what there is room for; a long list is folded. */
export function changesMarkdown({ changes, policies }: Changes, share: number): string {
  if (changes.length === 0) return "";
  const head = [row("cost", "pool", "what", "change", "why"), row("---", "---", "---", "---", "---")].join(
    "",
  );
  const table = `${head}${limited(
    changes.map((change) => changeRow(change, policies)),
    "change",
    room * share,
  )}`;
  const title = counted(changes.length, "change");
  const shown = changes.length > maxShown ? folded(title, table) : `#### Changes\n\n${table}`;
  return `\n${shown}${changedLines(changes, share)}`;
}
