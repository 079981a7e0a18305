import { changeDetails, changedName } from "#shared/domain/diff/change-text.ts";
import type { PoolChange, PoolCost } from "#shared/domain/diff/compare-sides.ts";
import {
  type DiffReport,
  isWholeReport,
  unchangedText,
  unreadContents,
  type WrongSide,
} from "#shared/domain/diff/diff-report.ts";
import type { Change } from "#shared/domain/diff/node-cost/registries-change.ts";
import type { PolicyChange } from "#shared/domain/diff/policy-change.ts";
import { causedIssues } from "#shared/domain/issues/caused-issues.ts";
import { type Coverage, coverageLines, coverageOfAll } from "#shared/domain/issues/coverage.ts";
import { countsOf, hasErrors } from "#shared/domain/issues/issue.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { assumedOnce, type OfSide, ofSide } from "../../../io/report/side-lists.ts";
import { lines, type SafeText } from "../../../io/safe-text.ts";
import { actionsText, nodesText, poolsText, whenText } from "../cost-table.ts";
import { countsText, issuesMarkdown, knownText } from "./issues-markdown.ts";
import { badge, code, escaped, folded, limited, oneLine, plain, row } from "./markdown-text.ts";

const maxShown = 6;
const roomOfChanges = 14_000;

function changeRow(change: PoolChange): string {
  const rule = `${plain(change.rule.text)} (${code(change.rule.code)})`;
  const pools = code(poolsText(change.pools));
  return row(badge(change.cost), pools, code(changedName(change)), change.kind, rule);
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
    roomOfChanges * share,
  );
  // The fence must be longer than every run of backticks in the text.
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `\n${folded("Changed lines", `${fence}diff\n${text}${fence}`)}`;
}

function changesMarkdown({ changes }: DiffReport, share: number): string {
  if (changes.length === 0) return "";
  const head = [row("cost", "pool", "what", "change", "why"), row("---", "---", "---", "---", "---")].join(
    "",
  );
  const table = `${head}${limited(changes.map(changeRow), "change", roomOfChanges * share)}`;
  const title = counted(changes.length, "change");
  const shown = changes.length > maxShown ? folded(title, table) : `#### Changes\n\n${table}`;
  return `\n${shown}${changedLines(changes, share)}`;
}

/** Invisible HTML at the start of a pull request's comment, by which a later run finds that comment. */
const marker = "<!-- hubrelay diff -->\n";
const room = 8_000;
const maxNote = 2_000;
/** Maximum length of the comment: GitHub allows 65,536 characters, and the step that posts the comment adds a line. */
const maxComment = 65_000;
/** Parts of the maximum length of lists. `comment` uses the first part with which the comment is short enough. */
const shares = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16] as const;

const effects = { weaker: "🔴 **weaker**", stricter: "🟠 **stricter**", other: "⚪ other" } as const;

function policyPart(policies: readonly PolicyChange[], share: number): string {
  if (policies.length === 0) return "";
  const shown = policies.map(({ effect, text }) => `- ${effects[effect]}: ${plain(text)}.\n`);
  return `\n#### Which images may be pulled\n\n${limited(shown, "change", room * share)}`;
}

function poolLine(pool: PoolCost): string {
  const why = `${plain(pool.rule.text)} (${code(pool.rule.code)})`;
  const each = `${plain(nodesText(pool))}: ${plain(`${actionsText(pool)}.${whenText(pool)}`)}`;
  return `- ${badge(pool.cost)} ${code(pool.name)}, ${each} Why: ${why}\n`;
}

function costPart({ pools, hostedClusters }: DiffReport, share: number): string {
  const changing = pools.filter(({ rule }) => rule.code !== "no-change");
  const unchanged = pools.filter((pool) => !changing.includes(pool)).map(({ name }) => code(name));
  const ofHosted = hostedClusters.map((cluster) => {
    const name = code(`${cluster.namespace}/${cluster.name}`);
    return `- ${badge(cluster.cost)} hosted cluster ${name}: ${plain(cluster.rule.text)} (${code(cluster.rule.code)})\n`;
  });
  const found = [...changing.map(poolLine), ...ofHosted];
  if (found.length === 0) return "";
  const rest =
    changing.length > 0 && unchanged.length > 0 ? [`- ⚪ unchanged: ${unchanged.join(", ")}\n`] : [];
  return `\n#### What it costs nodes\n\n${limited([...found, ...rest], "pool or hosted cluster", room * share)}`;
}

const wrongTexts = (wrong: WrongSide): readonly string[] =>
  [countsText(countsOf(causedIssues(wrong))), knownText(wrong.known)].filter(Boolean);

const hasPolicy = (one: WrongSide, effect: PolicyChange["effect"]): boolean =>
  isWholeReport(one) && one.policies.some((policy) => policy.effect === effect);

function iconOf(...found: readonly WrongSide[]): string {
  if (found.some((one) => hasErrors(causedIssues(one)))) return "❌ ";
  return found.some((one) => hasPolicy(one, "weaker")) ? "🔴 " : "";
}

const policyTexts = (one: WrongSide): readonly (string | false)[] => [
  hasPolicy(one, "weaker") && "images are let in that were refused",
  hasPolicy(one, "stricter") && "images are refused that were let in",
];

function titleOf(report: DiffReport): string {
  const { consequences, cost, changes, hostedClusters } = report;
  const differs = changes.length > 0 || hostedClusters.length > 0;
  const parts = [
    ...wrongTexts(report),
    ...policyTexts(report),
    consequences.length > 0
      ? "nothing of it reaches the nodes"
      : differs
        ? `nodes: ${badge(cost)}`
        : unchangedText(report.coverage),
  ];
  return `### ${iconOf(report)}hubrelay: ${parts.filter(Boolean).join(" · ")}\n`;
}

function reportMarkdown(report: DiffReport, share: number): string {
  return [
    titleOf(report),
    issuesMarkdown(report, share),
    policyPart(report.policies, share),
    costPart(report, share),
    changesMarkdown(report, share),
  ].join("");
}

function refusedMarkdown(wrong: WrongSide, share: number): string {
  const found = wrongTexts(wrong);
  const what = found.length > 0 ? `${found.join(" · ")} · the cost is not known` : unknownOld;
  return `### ${iconOf(wrong)}hubrelay: ${what}\n${issuesMarkdown(wrong, share)}`;
}

const unknownOld = "the cost is not known, since the old side cannot be rendered";

const partOf = (one: WrongSide, share: number): string =>
  isWholeReport(one) ? reportMarkdown(one, share) : refusedMarkdown(one, share);

function isAffected(one: WrongSide): boolean {
  if (causedIssues(one).length > 0 || one.fixed.errors + one.fixed.warnings > 0) return true;
  if (!isWholeReport(one)) return hasErrors(one.issues);
  return one.changes.length + one.hostedClusters.length + one.policies.length > 0;
}

const verdictOf = (one: WrongSide): string =>
  [
    countsText(countsOf(causedIssues(one))),
    countsText(one.fixed) && `fixes ${countsText(one.fixed)}`,
    ...policyTexts(one),
    isWholeReport(one) && one.consequences.length > 0 && "nothing of it reaches the nodes",
  ]
    .filter(Boolean)
    .join(" · ") || "✅";

function severalMarkdown(found: readonly (WrongSide & OfSide)[], share: number): readonly string[] {
  const results = Map.groupBy(found, (one) => (isAffected(one) ? partOf(one, share) : ""));
  const namesOf = (some: readonly OfSide[]) => some.map(({ side = "" }) => code(side)).join(", ");
  const rows = [...results].map(([text, some]) => {
    const [one] = some;
    if (!one || text === "") return row(namesOf(some), "not affected", badge("none"));
    return row(namesOf(some), verdictOf(one), isWholeReport(one) ? badge(one.cost) : "not known");
  });
  const count = counted(found.length, "cluster");
  const affected = found.filter(isAffected).length;
  const head = `### ${iconOf(...found)}hubrelay: ${affected} of ${count} affected\n\n${row("cluster", "verdict", "cost")}${row("---", "---", "---")}`;
  const details = [...results].flatMap(([text, some]) =>
    text === ""
      ? []
      : [`\n<details><summary>${namesOf(some)}</summary>\n\n${text.trimEnd()}\n\n</details>\n`],
  );
  return [`${head}${limited(rows, "line", room)}`, ...details];
}

/** CI posts this comment only if the pull request already has a comment of hubrelay. */
function noEffect(coverage: Coverage): string {
  const read = { ...coverage, unread: unreadContents(coverage.unread), assumed: [], enforced: [] };
  const text = [`${unchangedText(read)}.`, ...coverageLines(read)].join(" ");
  return `<!-- hubrelay diff: no effect -->\nhubrelay: ${escaped(oneLine(text, maxNote))}\n`;
}

/** Renders the comment on a pull request within GitHub's size limit. The comment begins with `note`. */
export function comment(found: readonly (WrongSide & OfSide)[], note: string): SafeText {
  const assumed = found.flatMap(({ coverage, side = "" }) => ofSide({ name: side }, coverage.assumed));
  const whole = coverageOfAll(found.map((one) => one.coverage));
  const coverage = { ...whole, assumed: assumedOnce(assumed, found.length) };
  if (note === "" && !found.some(isAffected)) return lines(noEffect(coverage));
  const about = note === "" ? "" : `⚙️ ${plain(note)}\n\n`;
  let text = "";
  for (const share of shares) {
    const parts = found.length > 1 ? severalMarkdown(found, share) : found.map((one) => partOf(one, share));
    const notCovered = coverageLines(coverage).map(
      (line) => `\n${escaped(oneLine(line, maxNote * share))}\n`,
    );
    const left = maxComment - about.length - notCovered.join("").length;
    text = `${marker}${about}${limited(parts, "cluster", left)}${notCovered.join("")}`;
    if (parts.join("").length <= left) break;
  }
  return lines(text);
}
