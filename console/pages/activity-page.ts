import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import { durationText } from "#shared/domain/windows/duration.ts";
import type { ActivityEntry } from "../model/activity-entries.ts";
import type {
  ActivityGroup,
  ActivityLine,
  ActivityView,
  Chain,
  ChainStart,
  ChainWrite,
  Choice,
} from "../model/activity-view.ts";
import { address } from "../model/snapshot.ts";
import {
  besidePanel,
  brief,
  card,
  command,
  emptyState,
  fileBlock,
  hiddenFields,
  marked,
  moment,
  pageTitle,
  plainLine,
  searchField,
  searchForm,
  sidePanel,
  swapLink,
  withMoments,
} from "./common.ts";
import { type Html, html, type Part } from "./html.ts";
import { drawnPath, folded, type Step } from "./path.ts";

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

/** What functions call a success, or report so that a person sees it. */
function whatText({ isWarning, what }: ActivityEntry): Html {
  return isWarning ? marked("hr-warning", "⚠", what) : marked("hr-done", "✓", what);
}

const verbs: Readonly<Record<string, string>> = {
  add: "was added, or named by a resync",
  update: "was changed",
  delete: "was deleted",
};

function startText({ object, verb }: ChainStart): Html {
  if (verb === undefined) return html`an event of another sender, or about an object without uid`;
  const name = object ?? "an object that no longer exists, or that the console does not read";
  return html`<strong>${name}</strong> ${ownValue(verbs, verb) ?? verb}`;
}

function lineItem({ entry, objects, count }: ActivityLine, title: string, id: string): Html {
  const more = count > objects.length && ` and ${count - objects.length} more`;
  const isTitle = count === 1 && `${entry.kind}/${entry.object}` === title;
  return html`<li class="hr-line-of-change"><span>${whatText(entry)}</span><span>${!isTitle && html`${entry.kind} ${objects.join(", ")}${more}`}</span><div class="hr-quiet">${brief(id, entry.text)}</div></li>`;
}

/** Lines of a change that are shown; its trace has all. */
const maxLines = 6;

function groupItem(group: ActivityGroup, index: number, { filter, chain }: ActivityView): Html {
  const { id, start, at, about, functions, lines } = group;
  const isShown = id !== undefined && id === chain?.id;
  const to = address("/activity", { ...filter, chain: isShown ? undefined : id });
  const title =
    start && id !== undefined ? swapLink(to, isShown, startText(start)) : html`<strong>${about}</strong>`;
  const shown = lines
    .slice(0, maxLines)
    .map((line, number) => lineItem(line, start?.object ?? about, `line-${index}-${number}`));
  const more =
    lines.length > maxLines && html`<li class="hr-quiet">${lines.length - maxLines} more in its trace</li>`;
  return html`<li class="hr-change${isShown && " hr-shown"}"><div class="hr-change-title"><span class="hr-when">${moment(at)}</span><span class="hr-what">${title}</span><span class="hr-quiet">${functions.join(", ")}</span></div><ul class="hr-lines">${shown}${more}</ul></li>`;
}

function feed(view: ActivityView): Html {
  const { groups, found, shown, total } = view;
  if (groups.length === 0) return html`<p>Nothing matches.</p>`;
  const more = found > shown && html`<p>${found - shown} older ones: filter to see them.</p>`;
  return html`<p class="hr-quiet">${found} of ${total}, by the change that led to them, the newest first</p><ol class="hr-feed">${groups.map((group, index) => groupItem(group, index, view))}</ol>${more}`;
}

function linesOf(data: Readonly<Record<string, unknown>>): readonly Html[] {
  return JSON.stringify(data, null, 1).split("\n").map(plainLine);
}

const sources = { outcome: "outcome", report: "Kubernetes Event", state: "status" } as const;

function outcomeItem(entry: ActivityEntry, id: string): Html {
  const { data, text, source, what, object } = entry;
  const content = data && folded(id, "data", fileBlock(`${what} of ${object}`, linesOf(data)));
  return html`<li>${whatText(entry)} <span class="hr-quiet">${sources[source]}</span><br>${withMoments(text)}${content}</li>`;
}

/** The time from the first write of a chain to its last. */
type Span = Readonly<{ from: number; to: number }>;

/** Renders where a time is between the first and the last one; nothing where all is at one time. */
function timeTrack(at: Date, { from, to }: Span): Html {
  if (to === from) return html``;
  const place = `${(2 + (96 * (at.getTime() - from)) / (to - from)).toFixed(1)}%`;
  return html`<svg class="hr-track" aria-hidden="true"><line x1="2%" x2="98%" y1="6" y2="6"></line><line class="hr-since" x1="2%" x2="${place}" y1="6" y2="6"></line><circle cx="${place}" cy="6" r="5"></circle></svg>`;
}

function timeAxis({ from, to }: Span): Html {
  if (to === from) return html``;
  return html`<p class="hr-trace-axis hr-quiet"><span>${moment(new Date(from))}</span><span>in ${durationText(to - from)}</span><span>${moment(new Date(to))}</span></p>`;
}

function writeStep({ object, isReport, at, entries }: ChainWrite, index: number, span: Span): Step {
  const isWarning = entries.some((entry) => entry.isWarning);
  const by = [...new Set(entries.map((entry) => entry.function))].join(", ");
  const sinceMs = at.getTime() - span.from;
  const after = sinceMs > 0 ? html`${durationText(sinceMs)} later` : moment(at);
  const items = entries.map((entry, number) => outcomeItem(entry, `data-${index}-${number}`));
  return {
    colour: isWarning ? "hr-warning" : "hr-done",
    mark: isReport ? "!" : "✎",
    content: html`<span class="hr-quiet">${by} ${isReport ? "reported on" : "wrote"}</span> <strong>${object}</strong><br><span class="hr-quiet">${after}</span>${timeTrack(at, span)}<ul class="hr-outcomes">${items}</ul>`,
  };
}

function chainPanel({ id, start, writes, decisions, logs }: Chain, close: string): Html {
  const change: Step = {
    colour: "hr-pulling",
    mark: "→",
    content: html`${startText(start)}${start.resourceVersion && html`<br><span class="hr-quiet">resourceVersion ${start.resourceVersion}</span>`}`,
  };
  const now = decisions.map(
    ({ subject, verdict, reason, function: name }) =>
      html`<li><strong>${subject}: ${verdict}</strong> by ${name}<br>${withMoments(reason)}</li>`,
  );
  const times = writes.map(({ at }) => at.getTime());
  const span = { from: Math.min(...times), to: Math.max(...times) };
  const steps = writes.map((write, index) => writeStep(write, index, span));
  const body = html`<div class="hr-trace">${timeAxis(span)}${drawnPath("From the change to what followed", [change, ...steps])}</div>${
    now.length > 0 && html`<h3>Decided now</h3><ul class="hr-list">${now}</ul>`
  }${logs.length > 0 && html`<h3>Its log entries</h3>${logs.map(command)}`}<p class="hr-quiet"><code>${id}</code></p>`;
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
          )}${part("entries", card("What happened", feed(view), "entries"))}`,
          chain && part("panel", chainPanel(chain, address("/activity", filter))),
        )}${limits}`;
  return html`${pageTitle("Activity")}${note}${body}`;
}
