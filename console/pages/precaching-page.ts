import { timestamp } from "#shared/domain/kubernetes/object.ts";
import { groupsOf } from "#shared/domain/precache/fleet/cluster-group.ts";
import { expectation } from "#shared/domain/precache/fleet/expectation.ts";
import { forecastLine } from "#shared/domain/precache/fleet/fleet-forecast.ts";
import { leftAloneText } from "#shared/domain/precache/fleet/fleet-message.ts";
import { namesText, reasonText } from "#shared/domain/precache/fleet/reason-groups.ts";
import { readinessDetails, readinessText } from "#shared/domain/ready/record/readiness-text.ts";
import { byteSize, counted, duration } from "#shared/domain/text/human-readable.ts";
import type { ClusterPanel, PrecachingView, ShownFleet, Site } from "../model/precaching-view.ts";
import { address } from "../model/snapshot.ts";
import { endsChart } from "./charts.ts";
import {
  besidePanel,
  card,
  command,
  coverageNote,
  emptyState,
  fleetBar,
  groupClass,
  groupCounts,
  groupLabel,
  groupMarks,
  missingNote,
  moment,
  sidePanel,
  swapLink,
  term,
  withMoments,
} from "./common.ts";
import { assembled, escapedText, type Html, html, type Part } from "./html.ts";

/** The sites with late clusters that are named. */
const maxSites = 5;

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
    html`<h3 id="${title}" class="hr-site-title">${site.name} <small>${site.ended}/${site.total} ended</small></h3>`,
  )}<ul class="hr-cells">${cells}</ul></section>`;
}

function reasonList({ reasons, key }: ShownFleet, filter: Filter): Html {
  if (reasons.length === 0) return html`<p>No cluster has failed, waits or is offline.</p>`;
  const items = reasons.map((one) => {
    const { group, reason, example } = one;
    const isChosen = filter.reason === reason && filter.state === group;
    const to = address("/precaching", isChosen ? { upgrade: key } : { upgrade: key, state: group, reason });
    return html`<li>${swapLink(to, isChosen, groupLabel(group, reasonText(one)))} <span class="hr-quiet">${namesText(one)}</span><br>${withMoments(example)}</li>`;
  });
  return html`<ul class="hr-list">${items}</ul>`;
}

function windowText({ windows, isWindowOpen, windowChanges }: ClusterPanel): Html {
  if (windows.length === 0) return html`none: it may pull at any time`;
  const change = windowChanges && html`, ${isWindowOpen ? "closes" : "opens"} ${moment(windowChanges)}`;
  return html`${windows.join(", ")}: ${isWindowOpen ? "open" : "closed"}${change ?? (isWindowOpen ? "" : " for good")}`;
}

function clusterPanel(panel: ClusterPanel, close: string): Html {
  const { cluster, group, site, remedy, retry } = panel;
  const { name, state, reason, message, attempt, since, deadline } = cluster;
  const { imagesDone = 0, imagesTotal, bytesDone = 0, bytesTotal } = cluster;
  const body = html`<dl class="pf-v6-c-description-list pf-m-compact">${[
    term("State", html`${groupLabel(group)} <span class="hr-quiet">${state}</span>`),
    term("Reason", html`${reason}${message && html`<br>${withMoments(message)}`}`),
    remedy === "" ? html`` : term("Fix", remedy),
    since ? term("Since", moment(new Date(since))) : html``,
    term("Attempt", String(attempt)),
    deadline ? term("Deadline", html`${moment(new Date(deadline))}`) : html``,
    imagesTotal === undefined ? html`` : term("Images", `${imagesDone} of ${imagesTotal}`),
    bytesTotal === undefined ? html`` : term("Download", `${byteSize(bytesDone)} of ${byteSize(bytesTotal)}`),
    site === undefined ? html`` : term("Site", site),
    term("Windows", windowText(panel)),
  ]}</dl>${retry && html`<h3>Try again</h3>${command(retry)}`}`;
  return sidePanel(name, body, close);
}

function endText(fleet: ShownFleet, now: Date): Html {
  const { windowEnds, isLate, status } = fleet;
  const grouped = groupsOf(status.clusters);
  const end =
    windowEnds &&
    html`; the window ${windowEnds > now ? "closes" : "has closed"} ${moment(windowEnds)}${isLate && html` <strong class="hr-late">⚠ before the estimated end</strong>`}`;
  return html`${withMoments(expectation(status, grouped, now, timestamp))}${end}`;
}

function forecastNote({ status }: ShownFleet): Html {
  const line = forecastLine(status);
  if (line === undefined) return html``;
  const late = status.forecast?.sites.filter(({ late = 0, failed }) => late > 0 || failed > 0) ?? [];
  const first = late.slice(0, maxSites).map(({ site }) => site);
  const names = namesText({ first, count: late.length });
  return html`<p>${withMoments(line)}${first.length > 0 && html` <span class="hr-quiet">at ${names}</span>`}</p>`;
}

function readinessNote({ status: { readiness } }: ShownFleet, now: Date): Html {
  if (!readiness) return html``;
  const details = readinessDetails(readiness);
  const list =
    details.length > 0 && html`<ul class="hr-list">${details.map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`<p>${readinessText(readiness, now)}</p>${list}`;
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
  const counted = images.total > 0 ? `${images.done} of ${images.total} images pulled` : "";
  if (!last || !from || last.time === from.time) return counted;
  const minutes = (last.time - from.time) / 60_000;
  const rate = `${((last.ended - from.ended) / minutes).toFixed(1)} clusters a minute over ${duration(Math.round(minutes * 60))}`;
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
  const { key, message, total, ended, bar, sites, panel, retryFailed, found, siteLabel } = shown;
  const isFiltered = Object.keys(filter).length > 0;
  const unfiltered = address("/precaching", { upgrade: key });
  const filterText =
    isFiltered &&
    html`<p>${found} of ${counted(total, "cluster")}: ${Object.entries(filter)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}. <a href="${unfiltered}" data-swap>Show all</a></p>`;
  const summary = part(
    "summary",
    html`<div id="summary"><p>${message}</p>${fleetBar(bar, total)}<p>${ended}/${total} ended; ${endText(shown, now)}</p><p class="hr-quiet">${rateText(shown)}</p>${forecastNote(shown)}${readinessNote(shown, now)}${leftAloneNote(shown)}${groupCounts(shown, filter.state)}</div>`,
  );
  const close = address("/precaching", { upgrade: key, ...filter });
  const grid = sites.map((site, index) => siteGrid(site, shown, filter, part, index));
  const retryAll = retryFailed && html`<h3>Try all failed ones again</h3>${command(retryFailed)}`;
  const clusters = card(
    siteLabel === undefined ? "Clusters" : `Clusters by ${siteLabel}`,
    html`${filterText}${found > 0 ? html`<div class="hr-sites">${grid}</div>` : html`<p>No cluster matches.</p>`}`,
  );
  const reasons = part("reasons", card("Reasons", html`${reasonList(shown, filter)}${retryAll}`, "reasons"));
  const ends = part("ends", card("Clusters that have ended", endsChart(shown), "ends"));
  return html`<h2 class="hr-fleet-name">${key}</h2>${summary}
${besidePanel(html`<div class="hr-cards">${reasons}${ends}</div>${clusters}`, panel && part("panel", clusterPanel(panel, close)))}`;
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
  return html`<h1 class="pf-v6-c-title pf-m-2xl">Pre-caching</h1>${missingNote(missing)}${otherFleets(view)}${body}${coverageNote(view.coverage)}`;
}
