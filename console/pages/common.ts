import { type Coverage, coverageLines } from "#shared/domain/issues/coverage.ts";
import { timestamp } from "#shared/domain/kubernetes/object.ts";
import { dayAndTime } from "#shared/domain/text/human-readable.ts";
import { wallClock, type Zone } from "#shared/domain/windows/zone.ts";
import { type Html, html } from "./html.ts";

/** Renders a text in the colour of a state, with the mark that says the same without colour. */
export function marked(colour: string, mark: string, text: string): Html {
  return html`<span class="hr-state ${colour}"><span aria-hidden="true">${mark}</span>\u00a0${text}</span>`;
}

/** Renders a link to another state of the page, which may be the one that is shown. */
export function swapLink(to: string, isShown: boolean, content: Html | string): Html {
  return html`<a href="${to}" data-swap${isShown && html` aria-current="true"`}>${content}</a>`;
}

/** Renders a form in which a viewer searches; it sends itself where there is no script, and while it is typed where there is one. */
export function searchForm(path: string, fields: Html, label = "Search"): Html {
  return html`<form class="hr-form" method="get" action="${path}" data-swap role="search" aria-label="${label}">${fields}<button class="pf-v6-c-button pf-m-secondary" type="submit"><span class="pf-v6-c-button__text">Show</span></button></form>`;
}

/** Renders the panel beside a page, about one of its rows; `close` is the address without it. */
export function sidePanel(title: string, body: Html, close: string): Html {
  return html`<aside id="panel" class="hr-panel pf-v6-c-card" aria-labelledby="panel-title"><div class="pf-v6-c-card__title"><h2 id="panel-title" class="pf-v6-c-card__title-text">${title}</h2></div><div class="pf-v6-c-card__body">
${body}
<p><a href="${close}" data-swap>Close</a></p></div></aside>`;
}

/** Renders a page with the panel beside it, if there is one. */
export function besidePanel(content: Html, panel: Html | undefined): Html {
  return html`<div class="hr-columns${panel && " hr-with-panel"}"><div class="hr-columns">${content}</div>${panel}</div>`;
}

/** Renders a moment in UTC, which the browser shows in the viewer's own time, or as how long ago it was. */
export function moment(time: Date): Html {
  return html`<time datetime="${timestamp(time)}" data-local>${dayAndTime(time)} UTC</time>`;
}

/** Renders a moment with the time of day in the zone that decides when it is, unless the viewer is there. */
export const zonedMoment = (time: Date, zone: Zone): Html =>
  html`${moment(time)} <span class="hr-quiet hr-zone" data-zone="${zone.name}">${wallClock(zone, time).slice(-5)} in ${zone.name}</span>`;

/** A time in a message: of RFC 3339, or as `dayAndTime` formats it. */
const timeInText = /\b(?:[A-Z][a-z]{2} )?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?:(:\d\d)(?:\.\d+)?Z| UTC\b)/g;

/** Renders a text in which each time has the form that times have on all pages, and digests take little room. */
export function withMoments(text: string): Html {
  const pieces: (Html | string)[] = [];
  let from = 0;
  for (const found of text.matchAll(timeInText)) {
    const [whole, day, minute, second = ":00"] = found;
    const time = new Date(`${day}T${minute}${second}Z`);
    if (Number.isNaN(time.getTime())) continue;
    pieces.push(shortDigests(text.slice(from, found.index)), moment(time));
    from = found.index + whole.length;
  }
  return html`${pieces}${shortDigests(text.slice(from))}`;
}

/** A text of which this much is shown takes two or three lines. */
const briefLength = 170;

/** Returns where the first sentences end that fit, else the last word that does. */
function endOfBrief(text: string): number {
  const first = text.slice(0, briefLength);
  const sentence = Math.max(first.lastIndexOf(". "), first.lastIndexOf("; ")) + 1;
  const end = sentence > briefLength / 4 ? sentence : first.lastIndexOf(" ");
  return end > 0 ? end : text.length;
}

/** Renders the beginning of a text; the rest of a long one is folded, so that what follows is not pushed away. */
export function brief(id: string, text: string): Html {
  const end = text.length > 1.3 * briefLength ? endOfBrief(text) : text.length;
  const rest = text.slice(end);
  return html`<p>${withMoments(text.slice(0, end))}</p>${rest !== "" && folded(id, "More", html`<p>${withMoments(rest)}</p>`)}`;
}

/** Renders the heading of a page. */
export const pageTitle = (title: string): Html => html`<h1 class="pf-v6-c-title pf-m-2xl">${title}</h1>`;

/** Renders what a page shows instead when there is nothing to show, and what would be here. */
export function emptyState(title: string, body: Html): Html {
  return html`<div class="pf-v6-c-empty-state"><div class="pf-v6-c-empty-state__content">
<div class="pf-v6-c-empty-state__header"><div class="pf-v6-c-empty-state__title"><h2 class="pf-v6-c-empty-state__title-text">${title}</h2></div></div>
<div class="pf-v6-c-empty-state__body">${body}</div></div></div>`;
}

/** Renders that a name in the address does not exist; nothing without one. */
export function missingNote(missing: string | undefined): Html {
  if (missing === undefined) return html``;
  return html`<div class="pf-v6-c-alert pf-m-warning pf-m-inline"><p class="pf-v6-c-alert__title">⚠ ${missing} is not here: it does not exist, or hubrelay has nothing to do with it.</p></div>`;
}

/** Renders what a page does not cover; nothing for a complete coverage. */
export function coverageNote(coverage: Coverage): Html {
  return html`${coverageLines(coverage).map((line) => html`<p class="hr-quiet">${line}</p>`)}`;
}

/** Renders a card with a heading. */
export function card(title: string, body: Html, id?: string): Html {
  return html`<section class="pf-v6-c-card"${id ? html` id="${id}"` : ""}><div class="pf-v6-c-card__title"><h2 class="pf-v6-c-card__title-text">${title}</h2></div>
<div class="pf-v6-c-card__body">${body}</div></section>`;
}

/**
 * Renders a table. A narrow screen shows each row as a card, in which values have the headings beside them; the roles
 * keep it a table for a screen reader.
 */
export function table(
  caption: string,
  headings: readonly string[],
  rows: readonly (readonly Html[])[],
): Html {
  const cell = (content: Html, index: number) =>
    html`<td class="pf-v6-c-table__td" role="cell" data-label="${headings[index]}"><div>${content}</div></td>`;
  return html`<div class="hr-scroll" tabindex="0" role="region" aria-label="${caption}"><table class="hr-table pf-v6-c-table pf-m-compact" role="table" aria-label="${caption}"><thead class="pf-v6-c-table__thead" role="rowgroup"><tr class="pf-v6-c-table__tr" role="row">${headings.map(
    (heading) => html`<th class="pf-v6-c-table__th" role="columnheader" scope="col">${heading}</th>`,
  )}</tr></thead><tbody class="pf-v6-c-table__tbody" role="rowgroup">${rows.map(
    (row) => html`<tr class="pf-v6-c-table__tr" role="row">${row.map(cell)}</tr>`,
  )}</tbody></table></div>`;
}

/** Renders a command to copy. */
export function command(text: string): Html {
  return html`<div class="hr-command"><code>${text}</code> <button type="button" class="pf-v6-c-button pf-m-secondary pf-m-small" data-copy="${text}"><span class="pf-v6-c-button__text">Copy</span></button></div>`;
}

/** Renders a name with its value, in a list of descriptions. */
export function term(name: string, value: Html | string): Html {
  return html`<div class="pf-v6-c-description-list__group"><dt class="pf-v6-c-description-list__term"><span class="pf-v6-c-description-list__text">${name}</span></dt><dd class="pf-v6-c-description-list__description"><div class="pf-v6-c-description-list__text">${value}</div></dd></div>`;
}

/** Renders a labelled field of a form in which a viewer searches. */
export function searchField(name: string, label: string, value: string, example: string): Html {
  return html`<label for="field-${name}">${label}<span class="pf-v6-c-form-control"><input id="field-${name}" name="${name}" type="search" value="${value}" placeholder="${example}" autocomplete="off" spellcheck="false"></span></label>`;
}

/** Renders the fields that a form keeps as they are; nothing for empty ones. */
export function hiddenFields(fields: Readonly<Record<string, string | undefined>>): Html {
  return html`${Object.entries(fields).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

/** Renders the lines of a file or an object. */
export function fileBlock(label: string, lines: readonly Html[]): Html {
  return html`<pre class="hr-file" tabindex="0" role="region" aria-label="${label}"><code>${lines}</code></pre>`;
}

/** A place on a drawn path. */
export type Step = Readonly<{
  /** The class that colours it. */
  colour: string;
  /** What says the same without colour, of one or two characters. */
  mark: string;
  content: Html;
  /** The path leads past it. */
  isSkipped?: boolean;
}>;

/** Renders places in their order along a line. */
export function drawnPath(label: string, steps: readonly Step[]): Html {
  const items = steps.map(
    ({ colour, mark, content, isSkipped = false }) =>
      html`<li class="hr-step ${colour}${isSkipped && " hr-skipped"}"><span class="hr-dot" aria-hidden="true">${mark}</span><div class="hr-step-text">${content}</div></li>`,
  );
  return html`<ol class="hr-path" aria-label="${label}">${items}</ol>`;
}

const digests = /(@sha256:[0-9a-f]{64})/;

/** Renders a text whose digests take little room: they are long, and mostly the same. */
export function shortDigests(text: string): Html {
  return html`${text.split(digests).map((part) => (digests.test(part) ? html`<span class="hr-digest" title="${part}">${part}</span>` : part))}`;
}

/** Renders what a page found out, before the reasons for it. */
export function verdictLine(isGood: boolean, text: string): Html {
  return html`<p class="hr-verdict ${isGood ? "hr-done" : "hr-failed"}"><span class="hr-dot" aria-hidden="true">${isGood ? "✓" : "✕"}</span><span class="hr-step-text">${shortDigests(text)}</span></p>`;
}

/** Renders more of something below a line that opens it. */
export function folded(id: string, summary: Html | string, content: Html): Html {
  return html`<details id="${id}" class="hr-details"><summary>${summary}</summary>${content}</details>`;
}
