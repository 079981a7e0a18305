import { changeDetails, changedName } from "#shared/domain/diff/change-text.ts";
import type { CostReport } from "#shared/domain/diff/compare-sides.ts";
import type { DiffReport } from "#shared/domain/diff/diff-report.ts";
import type { Change } from "#shared/domain/node-cost/change.ts";
import type { Cost } from "#shared/domain/node-cost/cost.ts";
import type { OfSide } from "../../io/clusters/cluster-sides.ts";
import { joined, lines, type SafeText } from "../../io/safe-text.ts";
import { nodesText, notesOf, rolloutText, whenText } from "./cost-table.ts";

const badges: Readonly<Record<Cost, string>> = {
  none: "⚪",
  reload: "🟢",
  drain: "🟡",
  reboot: "🔴",
  replace: "🔴",
};
const badge = (cost: Cost): string => `${badges[cost]} **${cost}**`;

/** GitHub refuses comments of more than 65,536 characters. */
const maxChanges = 50;
const maxText = 200;

const oneLine = (value: string): string => {
  const text = value.replaceAll(/\s+/g, " ");
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
};
/** Escapes what Markdown, HTML and GitHub (`@` for people, `#` for issues) give a meaning. */
const escaped = (value: string): string =>
  value.replaceAll(/[\\`*_[\]<>|~@#&!]/g, (character) => `&#${character.charCodeAt(0)};`);
const plain = (value: string): string => escaped(oneLine(value));
/** A table ends its cells at `|`, in code as well. */
const code = (value: string): string => `\`${oneLine(value).replaceAll("`", "'").replaceAll("|", "\\|")}\``;

const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;

function changeRow(change: Change): string {
  const rule = `${plain(change.rule.text)} (${code(change.rule.code)})`;
  return row(badge(change.cost), code(changedName(change)), change.kind, rule);
}

function changedLines(changes: readonly Change[]): string {
  const found = changes.flatMap((change) => {
    const details = changeDetails(change).map(oneLine);
    return details.length > 0 ? [`@@ ${oneLine(changedName(change))} @@`, ...details] : [];
  });
  if (found.length === 0) return "";
  const shown = found.slice(0, maxChanges);
  const more = found.length > shown.length ? [`  (${found.length - shown.length} more lines)`] : [];
  const longest = Math.max(
    2,
    ...shown.map((line) => Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length))),
  );
  const fence = "`".repeat(longest + 1);
  return `\n<details><summary>Changed lines</summary>\n\n${fence}diff\n${[...shown, ...more].join("\n")}\n${fence}\n\n</details>\n`;
}

function poolPart({ changes, pools }: CostReport): string {
  if (changes.length === 0) return "";
  const poolRows = pools.map((pool) =>
    row(
      badge(pool.cost),
      code(pool.name),
      plain(nodesText(pool)),
      plain(`${pool.actions.join(", ") || "nothing"}.${whenText(pool)}`),
      `${plain(pool.rule.text)} (${code(pool.rule.code)})`,
    ),
  );
  const more =
    changes.length > maxChanges
      ? `\nAnd ${changes.length - maxChanges} more changes of at most this cost.\n`
      : "";
  return [
    row("cost", "pool", "nodes", "each node", "rule"),
    row("---", "---", "---", "---", "---"),
    ...poolRows,
    "\n",
    row("cost", "what", "change", "rule"),
    row("---", "---", "---", "---"),
    ...changes.slice(0, maxChanges).map(changeRow),
    more,
    changedLines(changes),
  ].join("");
}

function hostedPart({ hostedClusters }: CostReport): string {
  if (hostedClusters.length === 0) return "";
  const rows = hostedClusters
    .slice(0, maxChanges)
    .map((cluster) =>
      row(
        badge(cluster.cost),
        code(`${cluster.namespace}/${cluster.name}`),
        `${plain(rolloutText(cluster))} (${code(cluster.rule.code)})`,
      ),
    );
  const more = hostedClusters.length - rows.length;
  const rest = more > 0 ? `\nAnd ${more} more hosted clusters.\n` : "";
  return [row("cost", "hosted cluster", "its nodes"), row("---", "---", "---"), ...rows, rest].join("");
}

/**
 * Renders the report as the comment of a pull request: the cost, what each pool and hosted cluster does, each change with
 * its rule, what is fixed and what the result does not cover.
 */
export function costMarkdown(report: DiffReport): SafeText {
  const parts = [poolPart(report), hostedPart(report)].filter((part) => part !== "");
  const body = parts.length > 0 ? parts.join("\n") : "Nothing changes on any node.\n";
  const notes = notesOf(report).map((note) => `\n${escaped(note.replaceAll(/\s+/g, " "))}\n`);
  return lines(`### Cost for nodes: ${badge(report.cost)}\n\n${body}${notes.join("")}`);
}

/** Renders the comment of a pull request about several clusters, each below its name; a single one has no name. */
export function costsMarkdown(found: readonly (DiffReport & OfSide)[]): SafeText {
  const parts = found.map((one) => {
    const heading = one.side === undefined ? "" : `## ${code(one.side)}\n\n`;
    return joined([lines(heading), costMarkdown(one)], lines(""));
  });
  return joined(parts, lines("\n"));
}
