import { expectation } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import {
  leftAloneText,
  namesText,
  reasonText,
} from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import { readinessDetails, readinessText } from "#shared/domain/ready/record/fleet-readiness.ts";
import { byteSize, counted, dayAndTime } from "#shared/domain/text/human-readable.ts";
import type { SiteReason } from "../model/fleet-summaries.ts";
import type { ClusterPanel, PrecachingView, ShownFleet, Site } from "../model/precaching-view.ts";
import { address } from "../model/snapshot.ts";
import { forecastChart } from "./charts.ts";
import { fleetBar, groupClass, groupCounts, groupLabel, groupMarks, siteLinks } from "./cluster-states.ts";
import {
  besidePanel,
  card,
  command,
  coverageNote,
  emptyState,
  marked,
  missingNote,
  moment,
  pageTitle,
  sidePanel,
  swapLink,
  table,
  withMoments,
} from "./common.ts";
import { assembled, escapedText, type Html, html, type Part } from "./html.ts";

/** Formats a time. Rounds it up, so that the page changes less often and no future time looks past. */
const forecastClock = (time: Date) =>
  `${dayAndTime(new Date(Math.ceil(time.getTime() / 60_000) * 60_000))} UTC`;

type Filter = PrecachingView["filter"];

function siteGrid(site: Site, { key }: ShownFleet, filter: Filter, part: Part, index: number): Html {
  const close = address("/precaching", { upgrade: key, ...filter });
  const [to, from] = [`${close}&cluster=`, close].map(escapedText);
  const cells = site.cells.map(({ cluster, group, isSelected }, cell) => {
    const id = `c${index}-${cell}`;
    const name = escapedText(`${cluster}: ${group}`);
    const link = isSelected ? from : `${to}${encodeURIComponent(cluster.toWellFormed())}`;
    return part(
      id,
      assembled(
        `<li id="${id}"><a class="hr-cell ${groupClass(group)}" href="${link}" data-swap title="${name}" aria-label="${name}"${isSelected ? ' aria-current="true"' : ""}>${groupMarks[group]}</a></li>`,
      ),
    );
  });
  const title = `s${index}`;
  return html`<section class="hr-site" aria-labelledby="${title}">${part(
    title,
    html`<h3 id="${title}" class="hr-site-title">${site.name} <small>${site.ended}/${site.total} ended</small>${troubleOf(site)}</h3>`,
  )}<ul class="hr-cells">${cells}</ul></section>`;
}

function troubleOf({ cells }: Site): Html {
  const counts = (["failed", "offline"] as const).map((state) => {
    const count = cells.filter(({ group }) => group === state).length;
    return count > 0 && html` ${groupLabel(state, `${count}`)}`;
  });
  return html`${counts}`;
}

function reasonItem(one: SiteReason, { key }: ShownFleet, filter: Filter): Html {
  const { group, reason, example, sites, remedy } = one;
  const isChosen = filter.reason === reason && filter.state === group && filter.site === undefined;
  const to = address("/precaching", isChosen ? { upgrade: key } : { upgrade: key, state: group, reason });
  return html`<li>${swapLink(to, isChosen, groupLabel(group, reasonText(one)))} <span class="hr-quiet">${sites.length === 0 && namesText(one)}</span>${siteLinks(one, key, filter)}${example && html`<p>${withMoments(example)}</p>`}${remedy && html`<p class="hr-quiet">Fix: ${remedy}</p>`}</li>`;
}

const maxFailed = 20;

function failedClusters({ key, failed, siteLabel, retryFailed }: ShownFleet, filter: Filter): Html {
  if (!retryFailed) return html``;
  const choose = (by: "site" | "reason", value: string) => {
    const isChosen = filter.state === "failed" && filter[by] === value;
    const { [by]: _, ...others } = filter;
    const chosen = { ...others, state: "failed", ...(isChosen ? {} : { [by]: value }) };
    return swapLink(address("/precaching", { upgrade: key, ...chosen }), isChosen, value);
  };
  const rows = failed
    .slice(0, maxFailed)
    .map(({ name, site, reason, message, since, remedy, retry }, index) => {
      const fix = failed[index - 1]?.reason !== reason && html`<p class="hr-quiet">Fix: ${remedy}</p>`;
      return [
        swapLink(address("/precaching", { upgrade: key, ...filter, cluster: name }), false, name),
        ...(siteLabel === undefined ? [] : [choose("site", site)]),
        html`${choose("reason", reason)} ${withMoments(message)}${fix}`,
        since === undefined ? html`` : moment(new Date(since)),
        command(retry),
      ];
    });
  const headings = ["Cluster", ...(siteLabel === undefined ? [] : [siteLabel]), "Reason", "Since", "Retry"];
  const more =
    failed.length > maxFailed && html`<p class="hr-quiet">and ${failed.length - maxFailed} more</p>`;
  return card(
    "Failed clusters",
    html`${rows.length > 0 && table("Failed clusters", headings, rows)}${more}<p>Try all failed ones again:</p>${command(retryFailed)}`,
  );
}

function attention(shown: ShownFleet, filter: Filter, now: Date): Html {
  const { attention: urgent, waits, retryFailed } = shown;
  const items = urgent.map((one) => reasonItem(one, shown, filter));
  const nothing =
    items.length === 0 &&
    !retryFailed &&
    html`<p>${marked("hr-done", "✓", "Nothing needs a person now.")}</p>`;
  const waiting =
    waits.length > 0 &&
    html`<h3>Waits</h3><ul class="hr-list">${waits.map((one) => reasonItem(one, shown, filter))}</ul>`;
  return html`${nothing}<ul class="hr-list">${items}</ul>${readinessNote(shown, now)}${waiting}`;
}

function readinessNote({ status: { readiness } }: ShownFleet, now: Date): Html {
  if (!readiness) return html``;
  const details = readinessDetails(readiness);
  const list =
    details.length > 0 &&
    html`<ul class="hr-list">${details.map((line) => html`<li>${withMoments(line)}</li>`)}</ul>`;
  return html`<p>${withMoments(readinessText(readiness, now))}</p>${list}`;
}

function leftAloneNote({ status }: ShownFleet): Html {
  const text = leftAloneText(status);
  return text === undefined ? html`` : html`<p>${text}</p>`;
}

function otherFleets({ fleets, shown }: PrecachingView): Html {
  if (fleets.length < 2) return html``;
  const items = fleets.map(
    ({ key, ended, total }) =>
      html`<li><a href="${address("/precaching", { upgrade: key })}"${key === shown?.key && html` aria-current="page"`}>${key}</a> <span class="hr-quiet">${ended}/${total}</span></li>`,
  );
  return html`<nav aria-label="ClusterGroupUpgrades"><ul class="hr-row">${items}</ul></nav>`;
}

function fleet(shown: ShownFleet, { filter }: PrecachingView, now: Date, part: Part): Html {
  const { key, message, total, ended, bar, sites, panel, found, siteLabel } = shown;
  const isFiltered = Object.keys(filter).length > 0;
  const unfiltered = address("/precaching", { upgrade: key });
  const filterText =
    isFiltered &&
    html`<p>${found} of ${counted(total, "cluster")}: ${Object.entries(filter)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}. <a href="${unfiltered}" data-swap>Show all</a></p>`;
  const summary = part(
    "summary",
    html`<div id="summary"><p>${withMoments(message)}</p>${fleetBar(bar, total)}${groupCounts(shown, filter.state)}<p>${ended}/${total} ended; ${withMoments(expectation(shown.status, now, forecastClock, forecastClock))}</p>${leftAloneNote(shown)}</div>`,
  );
  const close = address("/precaching", { upgrade: key, ...filter });
  const grid = sites.map((site, index) => siteGrid(site, shown, filter, part, index));
  const clusters = card(
    siteLabel === undefined ? "Clusters" : `Clusters by ${siteLabel}`,
    html`${filterText}${found > 0 ? html`<div class="hr-sites">${grid}</div>` : html`<p>No cluster matches.</p>`}`,
  );
  const reasons = part("reasons", card("Needs a person", attention(shown, filter, now), "reasons"));
  return html`<h2 class="hr-fleet-name">${key}</h2>${summary}${part("failed", html`<div id="failed"${!shown.retryFailed && html` hidden`}>${failedClusters(shown, filter)}</div>`)}
<div class="hr-cards">${reasons}${part("ends", card("Forecast", forecastChart(shown, now), "ends"))}</div>${besidePanel(
    clusters,
    panel && part("panel", clusterPanel(panel, close, now)),
  )}`;
}

/** Renders the page about pre-caching. */
export function precachingPage(view: PrecachingView, now: Date, part: Part): Html {
  const { shown, missing } = view;
  const body = shown
    ? fleet(shown, view, now, part)
    : emptyState(
        "No ClusterGroupUpgrade is pre-cached by hubrelay",
        html`<p>Here is a grid of the clusters of each ClusterGroupUpgrade with <code>preCaching: true</code>, as soon as it is planned.</p>`,
      );
  return html`${pageTitle("Pre-caching")}${missingNote(missing)}${otherFleets(view)}${body}${coverageNote(view.coverage)}`;
}

type Step = Readonly<{ at?: string | undefined; colour?: string; content: Html }>;

const step = (at: string | Date | null | undefined | false, content: Html, colour = ""): readonly Step[] =>
  at ? [{ at: typeof at === "string" ? at : at.toISOString(), content, colour }] : [];

function windowText({ windows, isWindowOpen, windowChanges }: ClusterPanel): string {
  if (windows.length === 0) return "No window restricts it.";
  const state = isWindowOpen ? "open" : windowChanges ? "closed" : "closed for good";
  return `${windows.join(", ")}: ${state}`;
}

function progress({ cluster }: ClusterPanel): Html {
  const { imagesDone = 0, imagesTotal, bytesDone = 0, bytesTotal } = cluster;
  if (imagesTotal === undefined) return html``;
  const bytes = bytesTotal === undefined ? "" : `, ${byteSize(bytesDone)} of ${byteSize(bytesTotal)}`;
  const width = (100 * imagesDone) / Math.max(1, imagesTotal);
  return html`<svg class="hr-progress" aria-hidden="true"><rect class="hr-ground" width="100%" height="8" rx="4"></rect><rect class="hr-fill ${groupClass("done")}" width="${width.toFixed(1)}%" height="8" rx="4"></rect></svg>${imagesDone} of ${imagesTotal} images${bytes}`;
}

function pastSteps({ cluster, group, earlier }: ClusterPanel): readonly Step[] {
  const { reason, message, attempt, since, check } = cluster;
  return [
    ...earlier.flatMap((one) =>
      step(one.since, html`${groupLabel(one.group)} for ${one.upgrade}`, groupClass(one.group)),
    ),
    ...step(
      since,
      html`${groupLabel(group)}: ${reason} <span class="hr-quiet">attempt ${attempt}</span>${message && html`<br>${withMoments(message)}`}`,
      groupClass(group),
    ),
    ...step(
      check?.checked,
      html`Checked: ${check?.imagesPresent} of ${check?.imagesTotal} images are there${check?.message && html`<br>${withMoments(check.message)}`}`,
    ),
  ];
}

function comingSteps({ cluster, isWindowOpen, windowChanges, forecast }: ClusterPanel): readonly Step[] {
  const isExpected = forecast?.state === "expected";
  return [
    ...step(windowChanges, html`Its window ${isWindowOpen ? "closes" : "opens"}`),
    ...step(isExpected && forecast.expectedEnd, html`Expected to have its images`),
    ...step(isExpected && forecast.latestEnd, html`Has its images at the latest`),
    ...step(cluster.deadline, html`Attempt ${cluster.attempt} ends at the latest`),
  ];
}

const byTime = (a: Step, b: Step) => Date.parse(a.at ?? "") - Date.parse(b.at ?? "");

function storyItem({ at, colour = "", content }: Step, when = ""): Html {
  return html`<li class="${[when, colour].filter(Boolean).join(" ")}">${at && moment(new Date(at))}<div>${content}</div></li>`;
}

/** Renders the side panel about a cluster. */
export function clusterPanel(panel: ClusterPanel, close: string, now: Date): Html {
  const { cluster, group, site, remedy, retry, forecast } = panel;
  const { message, reason, since } = cluster;
  const all = [...pastSteps(panel), ...comingSteps(panel)].sort(byTime);
  const [past, coming] = [true, false].map((wanted) =>
    all.filter(({ at }) => new Date(at ?? "") <= now === wanted),
  );
  const isOpen = group !== "done" && group !== "failed";
  const unknown =
    isOpen &&
    forecast?.state === "unknown" &&
    html`<p class="hr-quiet">Its end is not known. ${forecast.reason}</p>`;
  const why = since === undefined && html`<p>${reason}${message && html`<br>${withMoments(message)}`}</p>`;
  const present = html`<strong>Now</strong>${why}${progress(panel)}<p>${windowText(panel)}</p>${unknown}`;
  const body = html`<p>${groupLabel(group)}${site !== undefined && html` at ${site}`} <span class="hr-quiet">${cluster.state}</span></p>${
    remedy !== "" && html`<p><strong>Fix:</strong> ${remedy}</p>`
  }${retry && command(retry)}<ol class="hr-story">${past?.map((one) => storyItem(one))}<li class="hr-present"><div>${present}</div></li>${coming?.map((one) => storyItem(one, "hr-coming"))}</ol>`;
  return sidePanel(cluster.name, body, close);
}
