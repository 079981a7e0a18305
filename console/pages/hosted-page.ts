import {
  type HostedClusterReport,
  type HostedNodePool,
  hostedItems,
} from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { fieldsOf, textOf } from "#shared/domain/kubernetes/json/values.ts";
import type { Decision } from "#shared/domain/plan/plan.ts";
import { counted, shellWord } from "#shared/domain/text/human-readable.ts";
import type { FunctionReport, HostedRow, HostedState, HostedView } from "../model/hosted-view.ts";
import { address } from "../model/snapshot.ts";
import {
  besidePanel,
  card,
  command,
  coverageNote,
  emptyState,
  folded,
  marked,
  missingNote,
  moment,
  pageTitle,
  sidePanel,
  swapLink,
  table,
  term,
  withMoments,
} from "./common.ts";
import { type Html, html, type Part } from "./html.ts";

const looks: Readonly<Record<HostedState, Readonly<{ colour: string; mark: string }>>> = {
  error: { colour: "hr-failed", mark: "✕" },
  drift: { colour: "hr-failed", mark: "≠" },
  expected: { colour: "hr-pulling", mark: "…" },
  waiting: { colour: "hr-waiting", mark: "·" },
  paused: { colour: "hr-outside-its-window", mark: "‖" },
  "compared in part": { colour: "hr-done", mark: "≈" },
  "written by hubrelay": { colour: "hr-done", mark: "✎" },
};

function stateLabel(state: HostedState, text: string = state): Html {
  const { colour, mark } = looks[state];
  return marked(colour, mark, text);
}

function counts({ counts: states, state: chosen }: HostedView): Html {
  const links = states.map(({ state, count }) => {
    const isChosen = state === chosen;
    const to = address("/hosted", { state: isChosen ? undefined : state });
    return html`<li>${swapLink(to, isChosen, stateLabel(state, `${count} ${state}`))}</li>`;
  });
  return html`<ul class="hr-row" aria-label="Hosted clusters by state">${links}</ul>`;
}

function differenceCount({ decisions }: HostedRow): Html {
  const count = decisions.reduce((sum, { differences = [] }) => sum + differences.length, 0);
  return count > 0
    ? html`<span class="hr-state hr-failed">≠ ${count}</span>`
    : html`<span class="hr-quiet">none</span>`;
}

function clusterRow(row: HostedRow, view: HostedView): readonly Html[] {
  const { key, state, version, owner, report } = row;
  const isShown = key === view.panel?.key;
  const to = address("/hosted", { state: view.state, cluster: isShown ? undefined : key });
  const { issues } = report;
  return [
    swapLink(to, isShown, key),
    stateLabel(state),
    html`${version ?? "unknown"}`,
    poolSummary(report.nodePools, version),
    differenceCount(row),
    html`${owner}`,
    issues.length > 0
      ? html`<span class="hr-state hr-failed">✕ ${issues.length}</span>`
      : html`<span class="hr-quiet">none</span>`,
  ];
}

const headings = ["Hosted cluster", "State", "Version", "Node pools", "Differs", "Written by", "Issues"];

function clusterTable(view: HostedView): Html {
  const { rows, total } = view;
  if (rows.length === 0) return html`<p>No hosted cluster matches.</p>`;
  const rowsOf = rows.map((row) => clusterRow(row, view));
  return html`<p class="hr-quiet">${rows.length} of ${counted(total, "hosted cluster")}</p>${table("Hosted clusters", headings, rowsOf)}${coverageNote(view.coverage)}`;
}

function list(items: readonly (Html | string)[]): Html {
  return items.length === 0
    ? html`none`
    : html`<ul class="hr-list">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

function decisionText({ subject, verdict, reason, owner, differences = [] }: Decision, key: string): Html {
  const about = subject === key ? "" : `${subject.slice(key.length + 1)}: `;
  const by = owner === undefined ? "" : `, written by ${owner}`;
  const isInList = differences.length > 0 && differences.every((one) => reason.includes(one));
  const why = !isInList && html`<br>${withMoments(reason)}`;
  const items =
    differences.length > 0 &&
    html`<ul class="hr-items">${differences.map((one) => html`<li>${one}</li>`)}</ul>`;
  return html`<strong>${about}${verdict}</strong>${by}${why}${items}`;
}

function issueText({ severity, code, path, message, remedy }: Issue): Html {
  const mark = severity === "error" ? "✕" : "⚠";
  return html`<strong>${mark} ${code}</strong> <code>${path}</code><p>${withMoments(message)}</p>${remedy && html`<p class="hr-quiet">Fix: ${remedy}</p>`}`;
}

function sinceText({ since }: FunctionReport): Html {
  return since ? html` <span class="hr-quiet">since ${moment(since)}</span>` : html``;
}

function reportText(report: FunctionReport): Html {
  const { isWarning, reason, message } = report;
  return html`<strong>${isWarning && "⚠ "}${reason}</strong>${sinceText(report)}<p>${withMoments(message)}</p>`;
}

function foldedItems(report: HostedClusterReport): Html {
  return html`${hostedItems(report).map(([label, items]) => {
    const title = `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
    if (items.length === 0) return html`<p>${title}: none</p>`;
    const content = html`<ul class="hr-items">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
    const count =
      label === "capabilities" && report.capabilities
        ? report.capabilities.additionalEnabledCapabilities?.length
        : items.length;
    return folded(`gets-${label.replaceAll(/[^a-z]+/g, "-")}`, `${title} (${count ?? 0})`, content);
  })}`;
}

function clusterPanel(row: HostedRow, close: string): Html {
  const { key, state, version, owner, ownerReason, report, decisions, reports } = row;
  const { controlPlaneNamespace, issues, nodePools } = report;
  const obstacles = nodePools.flatMap((pool) => obstacleOf(pool) ?? []);
  const found = decisions.map((one) => decisionText(one, key));
  const decided =
    owner === "HyperShift"
      ? term("Compared", list(found))
      : term("Compared", "What hubrelay writes is compared by the function and by hubrelay verify.");
  const body = html`<dl class="pf-v6-c-description-list pf-m-compact">${[
    term("State", stateLabel(state)),
    term(
      "Version",
      html`${version ?? "unknown"} <span class="hr-quiet">control plane ${controlPlaneNamespace}</span>`,
    ),
    term("Written by", html`${owner}<br><span class="hr-quiet">${ownerReason}</span>`),
    ...(issues.length > 0 ? [term("Issues", list(issues.map(issueText)))] : []),
    term("Node pools", html`${poolSummary(nodePools, version)}${obstacles.length > 0 && list(obstacles)}`),
    decided,
    ...(reports.length > 0 ? [term("Reported by the function", list(reports.map(reportText)))] : []),
  ]}</dl><h3>What it gets</h3>${foldedItems(report)}<h3>The same on a terminal</h3>${command(`hubrelay hosted ${shellWord(key)}`)}${command(`hubrelay ready --hosted ${shellWord(key)}`)}${command("hubrelay verify --function hosted-clusters")}`;
  return sidePanel(key, body, close);
}

/** Renders the page about hosted clusters. */
export function hostedPage(view: HostedView, part: Part): Html {
  const { total, missing, panel, state } = view;
  const body =
    total === 0
      ? emptyState(
          "The hub has no HostedCluster",
          html`<p>Here are the hosted clusters of HyperShift, as soon as there is one: their node pools, registry overrides, catalogs and capabilities, who writes them, and what differs from what it should be.</p>`,
        )
      : besidePanel(
          html`${part(
            "states",
            html`<div id="states">${counts(view)}</div>`,
          )}${part("clusters", card("Clusters", clusterTable(view), "clusters"))}`,
          panel && part("panel", clusterPanel(panel, address("/hosted", { state }))),
        );
  return html`${pageTitle("Hosted clusters")}${missingNote(missing)}${body}`;
}

function obstacleOf({ conditions }: HostedNodePool): string | undefined {
  const ready = conditions.map(fieldsOf).find(({ type }) => type === "Ready");
  return ready?.status === "False" ? (textOf(ready.message) ?? "not ready") : undefined;
}

/** Returns the version of a node pool if it differs from `of`, the version of the control plane. */
function otherVersion({ version, runningVersion }: HostedNodePool, of: string | undefined) {
  const own = runningVersion ?? version;
  return own !== null && of !== undefined && own !== of ? own : undefined;
}

/** Renders the number of node pools and nodes. Points out pools that are not ready or not at `version`. */
export function poolSummary(pools: readonly HostedNodePool[], version: string | undefined): Html {
  if (pools.length === 0) return html`<span class="hr-quiet">none</span>`;
  const known = pools.map(({ nodes }) => nodes ?? 0).reduce((sum, one) => sum + one, 0);
  const notReady = pools.filter((pool) => obstacleOf(pool) !== undefined).length;
  const others = pools.filter((pool) => otherVersion(pool, version) !== undefined).length;
  return html`${counted(pools.length, "pool")}, ${counted(known, "node")}${notReady > 0 && html`<br>${marked("hr-warning", "⚠", `${notReady} not ready`)}`}${others > 0 && html`<br>${marked("hr-pulling", "…", `${others} at another version`)}`}`;
}
