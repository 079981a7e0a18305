import {
  type BarPart,
  barOrder,
  type ClusterGroup,
} from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import type { FleetSummary, SiteReason } from "../model/fleet-summaries.ts";
import type { PrecachingFilter } from "../model/precaching-view.ts";
import { address } from "../model/snapshot.ts";
import { marked, swapLink } from "./common.ts";
import { type Html, html } from "./html.ts";

/** The character of each state, for viewers who cannot distinguish the colours. */
export const groupMarks: Readonly<Record<ClusterGroup, string>> = {
  failed: "✕",
  offline: "?",
  pulling: "↓",
  "outside its window": "◷",
  waiting: "·",
  done: "✓",
};

/** Returns the CSS class that gives the colour of a state. */
export const groupClass = (group: ClusterGroup): string => `hr-${group.replaceAll(" ", "-")}`;

/** Renders the name of a state with its mark. */
export const groupLabel = (group: ClusterGroup, text: string = group): Html =>
  marked(groupClass(group), groupMarks[group], text);

const barWidth = 1_000;

/** Renders the progress of a fleet as a bar. The text alternative has the same numbers. */
export function fleetBar(parts: readonly BarPart[], total: number): Html {
  let x = 0;
  const drawn = parts.map(({ group, count }) => {
    const width = (barWidth * count) / Math.max(1, total);
    const from = x;
    x += width;
    return html`<rect class="hr-fill ${groupClass(group)}" x="${from.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="16"></rect>`;
  });
  const text = parts.map(({ group, count }) => `${count} ${group}`).join(", ");
  return html`<svg class="hr-bar" viewBox="0 0 ${barWidth} 16" preserveAspectRatio="none" role="img" aria-label="${text}">${drawn}</svg>`;
}

/** Renders the number of clusters in each state, as links to the clusters in that state. */
export function groupCounts({ key, bar }: Pick<FleetSummary, "key" | "bar">, chosen?: ClusterGroup): Html {
  const links = barOrder.flatMap((group) => {
    const count = bar.find((part) => part.group === group)?.count ?? 0;
    const to = address("/precaching", { upgrade: key, ...(group === chosen ? {} : { state: group }) });
    return count > 0 || group === chosen
      ? [html`<li>${swapLink(to, group === chosen, groupLabel(group, `${count} ${group}`))}</li>`]
      : [];
  });
  return html`<ul class="hr-row" aria-label="Clusters by state">${links}</ul>`;
}

const maxSites = 5;

/** Renders the sites with clusters that have this reason, as links to those clusters. */
export function siteLinks(
  { group, reason, sites }: SiteReason,
  upgrade: string,
  filter: PrecachingFilter = {},
): Html {
  if (sites.length === 0) return html``;
  const links = sites.slice(0, maxSites).map(({ site, count }) => {
    const isChosen = filter.reason === reason && filter.state === group && filter.site === site;
    const query = isChosen ? { upgrade } : { upgrade, state: group, reason, site };
    return html`<li>${swapLink(address("/precaching", query), isChosen, `${site} ${count}`)}</li>`;
  });
  const more =
    sites.length > maxSites &&
    html`<li class="hr-quiet">${counted(sites.length - maxSites, "more site")}</li>`;
  return html`<ul class="hr-row" aria-label="Sites">${links}${more}</ul>`;
}
