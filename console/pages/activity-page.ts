import { ownValue } from "#shared/domain/json/values.ts";
import type { ActivityEntry } from "../model/activity-entries.ts";
import type { ActivityView, Chain, ChainStart, Choice } from "../model/activity-view.ts";
import { address } from "../model/snapshot.ts";
import {
  besidePanel,
  card,
  command,
  emptyState,
  marked,
  moment,
  searchField,
  searchForm,
  sidePanel,
  swapLink,
  table,
} from "./common.ts";
import { type Html, html, type Part } from "./html.ts";

const sources = { outcome: "outcome", report: "Event", state: "status" } as const;

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
  const kept = Object.entries(others).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const field = searchField("object", "About objects with", object, "99-worker");
  return searchForm("/activity", html`${field}${kept}`);
}

function whatText({ isWarning, what, source }: ActivityEntry): Html {
  const state = isWarning ? marked("hr-offline", "⚠", what) : marked("hr-done", "✓", what);
  return html`${state} <span class="hr-quiet">${sources[source]}</span>`;
}

function row(entry: ActivityEntry, { filter, chain }: ActivityView): readonly Html[] {
  const { at, kind, object, text, correlationId } = entry;
  const isShown = correlationId !== undefined && correlationId === chain?.id;
  const to = address("/activity", { ...filter, chain: isShown ? undefined : correlationId });
  const link =
    correlationId === undefined
      ? html`<span class="hr-quiet">not kept</span>`
      : html`<a href="${to}" data-swap${isShown && html` aria-current="true"`} aria-label="chain of ${entry.what} of ${object}">chain</a>`;
  return [
    moment(at),
    html`${whatText(entry)}<br>${text}`,
    html`${kind} ${object}`,
    html`${entry.function}`,
    link,
  ];
}

function entryTable(view: ActivityView): Html {
  const { entries, found, total } = view;
  if (entries.length === 0) return html`<p>Nothing matches.</p>`;
  const more =
    found > entries.length && html`<p>${found - entries.length} older ones: filter to see them.</p>`;
  return html`<p class="hr-quiet">${found} of ${total}, the newest first</p>${table(
    "Activity",
    ["When", "What", "Object", "Function", "Chain"],
    entries.map((entry) => row(entry, view)),
  )}${more}`;
}

const verbs: Readonly<Record<string, string>> = {
  add: "added, or named by a resync",
  update: "changed",
  delete: "deleted",
};

function startText({ object, verb, resourceVersion }: ChainStart): Html {
  if (verb === undefined) return html`an event of another sender, or about an object without uid`;
  const name = object ?? "an object that no longer exists, or that the console does not read";
  return html`<strong>${name}</strong> was ${ownValue(verbs, verb) ?? verb} <span class="hr-quiet">resourceVersion ${resourceVersion}</span>`;
}

function linesOf(data: Readonly<Record<string, unknown>>): readonly Html[] {
  return JSON.stringify(data, null, 1)
    .split("\n")
    .map((line) => html`<span class="hr-same">${line}</span>`);
}

function chainPanel({ id, start, entries, decisions, logs }: Chain, close: string): Html {
  const steps = entries.map(({ at, data, ...entry }) => {
    const content =
      data &&
      html`<pre class="hr-file" tabindex="0" role="region" aria-label="${entry.what} of ${entry.object}"><code>${linesOf(data)}</code></pre>`;
    return html`<li>${moment(at)}<br>${whatText({ at, data, ...entry })} by ${entry.function}<br>${entry.text}<br><span class="hr-quiet">written: ${entry.written}</span>${content}</li>`;
  });
  const now = decisions.map(
    ({ subject, verdict, reason, function: name }) =>
      html`<li><strong>${subject}: ${verdict}</strong> by ${name}<br>${reason}</li>`,
  );
  const body = html`<p><code>${id}</code></p><h3>The change</h3><p>${startText(start)}</p><h3>What followed</h3><ol class="hr-order">${steps}</ol>${
    now.length > 0 && html`<h3>Decided now</h3><ul class="hr-list">${now}</ul>`
  }${logs.length > 0 && html`<h3>Its log entries</h3>${logs.map(command)}`}`;
  return sidePanel("Chain of one change", body, close);
}

const limits = html`<p class="hr-quiet">This is what the hub keeps: Kubernetes Events, which an API server drops after an hour by default; the last five outcomes of each object that was written; ends of clusters and the last opening of each window, which keep no chain. Reconciles that wrote nothing, retries and what was deleted are only in the logs.</p>`;

/** Renders what happens on the hub, and the chain of the change that the address names. */
export function activityPage(view: ActivityView, part: Part): Html {
  const { total, missing, chain, filter } = view;
  const note =
    missing !== undefined &&
    html`<div class="pf-v6-c-alert pf-m-warning pf-m-inline"><p class="pf-v6-c-alert__title">⚠ The hub keeps nothing that followed from ${missing}.</p></div>`;
  const body =
    total === 0
      ? emptyState(
          "The hub keeps nothing that hubrelay did",
          html`<p>Here are outcomes and decisions of hubrelay's functions as they happen, each with the chain from the change on the hub to what was written.</p>`,
        )
      : html`${besidePanel(
          html`${search(view)}${part(
            "choices",
            html`<div id="choices">${choices("Functions", "function", view.functions, view)}${choices("Kinds", "kind", view.kinds, view)}</div>`,
          )}${part("entries", card("What happened", entryTable(view), "entries"))}`,
          chain && part("panel", chainPanel(chain, address("/activity", filter))),
        )}${limits}`;
  return html`<h1 class="pf-v6-c-title pf-m-2xl">Activity</h1>${note}${body}`;
}
