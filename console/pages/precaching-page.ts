import { expectation } from "#shared/domain/precache-progress/fleet/fleet-forecast.ts";
import {
  leftAloneText,
  namesText,
  reasonText,
} from "#shared/domain/precache-progress/fleet/reason-groups.ts";
import { readinessDetails, readinessText } from "#shared/domain/ready/record/fleet-readiness.ts";
import { counted, dayAndTime } from "#shared/domain/text/human-readable.ts";
import { durationText } from "#shared/domain/windows/duration.ts";
import type { SiteReason } from "../model/fleet-sites.ts";
import type { PrecachingView, ShownFleet, Site } from "../model/precaching-view.ts";
import { address } from "../model/snapshot.ts";
import { forecastChart } from "./charts.ts";
import { clusterPanel } from "./cluster-panel.ts";
import { fleetBar, groupClass, groupCounts, groupLabel, groupMarks, siteLinks } from "./cluster-states.ts";
import {
  besidePanel,
  card,
  command,
  coverageNote,
  emptyState,
  marked,
  missingNote,
  pageTitle,
  swapLink,
  withMoments,
} from "./common.ts";
import { assembled, escapedText, type Html, html, type Part } from "./html.ts";

/** To the minute, so that a page does not change with every second; a coming one is not past before it is. */
const forecastClock = (time: Date) =>
  `${dayAndTime(new Date(Math.ceil(time.getTime() / 60_000) * 60_000))} UTC`;

type Filter = PrecachingView["filter"];

/** Cells of one site are a list: a screen reader names each with its state, the eye sees colour and mark. */
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

/** Renders how many clusters of a site need a person, which few cells among many do not show at a glance. */
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

/** Renders what needs a person, with the reason and where; then what only waits. */
function attention(shown: ShownFleet, filter: Filter, now: Date): Html {
  const { attention: urgent, waits, retryFailed } = shown;
  const items = urgent.map((one) => reasonItem(one, shown, filter));
  const nothing = items.length === 0 && html`<p>${marked("hr-done", "✓", "Nothing needs a person now.")}</p>`;
  const retryAll = retryFailed && html`<h3>Try all failed ones again</h3>${command(retryFailed)}`;
  const waiting =
    waits.length > 0 &&
    html`<h3>Waits</h3><ul class="hr-list">${waits.map((one) => reasonItem(one, shown, filter))}</ul>`;
  return html`${nothing}<ul class="hr-list">${items}</ul>${retryAll}${readinessNote(shown, now)}${waiting}`;
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

/** How fast clusters end: over the last ten minutes with an end, which is what a person compares with the rest. */
function rateText({ ends, images }: ShownFleet): string {
  const last = ends.at(-1);
  const earlier = last && ends.findLast(({ time }) => time <= last.time - 600_000);
  const from = earlier ?? ends[0];
  const counted =
    images.total > 0
      ? `${images.done.toLocaleString("en")} of ${images.total.toLocaleString("en")} images pulled`
      : "";
  if (!last || !from || last.time === from.time) return counted;
  const minutes = (last.time - from.time) / 60_000;
  const rate = `${((last.ended - from.ended) / minutes).toFixed(1)} clusters a minute over ${durationText(last.time - from.time)}`;
  return [rate, counted].filter(Boolean).join("; ");
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
  const chart = html`${forecastChart(shown, now)}<p class="hr-quiet">${rateText(shown)}</p>`;
  return html`<h2 class="hr-fleet-name">${key}</h2>${summary}
<div class="hr-cards">${reasons}${part("ends", card("Forecast", chart, "ends"))}</div>${besidePanel(
    clusters,
    panel && part("panel", clusterPanel(panel, close, now)),
  )}`;
}

/** Renders the page of pre-caching. */
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
