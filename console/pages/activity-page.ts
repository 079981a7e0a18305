import type { ActivityEntry, ActivityView, Choice } from "../model/activity-view.ts";
import { address } from "../model/snapshot.ts";
import {
  brief,
  card,
  command,
  emptyState,
  hiddenFields,
  marked,
  moment,
  pageTitle,
  searchField,
  searchForm,
  swapLink,
} from "./common.ts";
import { type Html, html, type Part } from "./html.ts";

function choices(
  label: string,
  name: "function" | "kind",
  values: readonly Choice[],
  { filter }: ActivityView,
): Html {
  if (values.length === 0) return html``;
  const links = values.map(({ value, count }) => {
    const isChosen = filter[name] === value;
    const to = address("/activity", { ...filter, [name]: isChosen ? undefined : value });
    return html`<li>${swapLink(to, isChosen, `${count} ${value}`)}</li>`;
  });
  return html`<p class="hr-quiet">${label}</p><ul class="hr-row" aria-label="${label}">${links}</ul>`;
}

function search({ filter: { object = "", ...others } }: ActivityView): Html {
  const field = searchField("object", "About objects with", object, "99-worker");
  return searchForm("/activity", html`${field}${hiddenFields(others)}`);
}

const sources = { outcome: "outcome", report: "Kubernetes Event", state: "status" } as const;

function entryItem(entry: ActivityEntry, index: number, { filter }: ActivityView): Html {
  const { at, isWarning, what, kind, object, text, source, correlationId } = entry;
  const mark = isWarning ? marked("hr-warning", "⚠", what) : marked("hr-done", "✓", what);
  const isChosen = correlationId !== undefined && correlationId === filter.chain;
  const to = address("/activity", { ...filter, chain: isChosen ? undefined : correlationId });
  const change =
    correlationId !== undefined && html`, ${swapLink(to, isChosen, "from one change on the hub")}`;
  return html`<li class="hr-entry"><span class="hr-quiet">${moment(at)}</span><span>${mark}</span><span><strong>${kind} ${object}</strong><br><span class="hr-quiet">${sources[source]} of ${entry.function}${change}</span></span><div class="hr-quiet">${brief(`entry-${index}`, text)}</div></li>`;
}

function feed(view: ActivityView): Html {
  const { entries, found, total, logs, filter } = view;
  const all = address("/activity", { ...filter, chain: undefined });
  const chain =
    filter.chain !== undefined &&
    html`<p>What the change <code>${filter.chain}</code> led to. <a href="${all}" data-swap>Show all</a></p>${logs && command(logs)}`;
  if (entries.length === 0) return html`${chain}<p>Nothing matches.</p>`;
  const more =
    found > entries.length && html`<p>${found - entries.length} older ones: filter to see them.</p>`;
  return html`${chain}<p class="hr-quiet">${found} of ${total}, the newest first</p><ol class="hr-feed">${entries.map((entry, index) => entryItem(entry, index, view))}</ol>${more}`;
}

const limits = html`<p class="hr-quiet">This is what the hub keeps: Kubernetes Events, which an API server drops after an hour by default; the last five outcomes of each object that was written; ends of clusters and the last opening of each window, which keep no id of a change. Reconciles that wrote nothing, retries and what was deleted are only in the logs.</p>`;

/** Renders what happens on the hub. */
export function activityPage(view: ActivityView, part: Part): Html {
  const body =
    view.total === 0
      ? emptyState(
          "The hub keeps nothing that hubrelay did",
          html`<p>Here are outcomes and decisions of hubrelay's functions as they happen.</p>`,
        )
      : html`${search(view)}${part(
          "choices",
          html`<div id="choices">${choices("Functions", "function", view.functions, view)}${choices("Kinds", "kind", view.kinds, view)}</div>`,
        )}${part("entries", card("What happened", feed(view), "entries"))}${limits}`;
  return html`${pageTitle("Activity")}${body}`;
}
