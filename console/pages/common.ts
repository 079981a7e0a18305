import { type Coverage, coverageLines } from "#shared/domain/issues/coverage.ts";
import { timestamp } from "#shared/domain/kubernetes/object.ts";
import { dayAndTime } from "#shared/domain/text/human-readable.ts";
import { wallClock, type Zone } from "#shared/domain/windows/zone.ts";
import { type Html, html } from "./html.ts";

/** Renders a text in the colour of a state. `mark` is a character with the same meaning as the colour. */
export function marked(colour: string, mark: string, text: string): Html {
  return html`<span class="hr-state ${colour}"><span aria-hidden="true">${mark}</span>\u00a0${text}</span>`;
}

/** Renders a link that changes the page without loading it again. With `isShown`, the page shows the target now. */
export function swapLink(to: string, isShown: boolean, content: Html | string): Html {
  return html`<a href="${to}" data-swap${isShown && html` aria-current="true"`}>${content}</a>`;
}

/** Renders a search form. */
export function searchForm(path: string, fields: Html, label = "Search"): Html {
  return html`<form class="hr-form" method="get" action="${path}" role="search" aria-label="${label}">${fields}<button class="pf-v6-c-button pf-m-secondary" type="submit"><span class="pf-v6-c-button__text">Show</span></button></form>`;
}

/** Renders the panel beside a page. `close` is the address of the page without the panel. */
export function sidePanel(title: string, body: Html, close: string): Html {
  return html`<aside id="panel" class="hr-panel pf-v6-c-card" aria-labelledby="panel-title"><div class="pf-v6-c-card__title"><h2 id="panel-title" class="pf-v6-c-card__title-text">${title}</h2></div><div class="pf-v6-c-card__body">
${body}
<p><a href="${close}" data-swap>Close</a></p></div></aside>`;
}

/** Renders a page and the panel beside it, if there is one. */
export function besidePanel(content: Html, panel: Html | undefined): Html {
  return html`<div class="hr-columns${panel && " hr-with-panel"}"><div class="hr-columns">${content}</div>${panel}</div>`;
}

/** Renders a time in UTC. In the browser, it becomes a time in the viewer's zone or an age. */
export function moment(time: Date): Html {
  return html`<time datetime="${timestamp(time)}" data-local>${dayAndTime(time)} UTC</time>`;
}

/** Renders a time, and the same time in the zone of a window. Viewers in that zone see the time only once. */
export const zonedMoment = (time: Date, zone: Zone): Html =>
  html`${moment(time)} <span class="hr-quiet hr-zone" data-zone="${zone.name}">${wallClock(zone, time).slice(-5)} in ${zone.name}</span>`;

const timeInText = /\b(?:[A-Z][a-z]{2} )?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?:(:\d\d)(?:\.\d+)?Z| UTC\b)/g;

/** Renders a text. Its times become times in the viewer's zone, and its digests are shortened. */
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

/** Renders the heading of a page. */
export const pageTitle = (title: string): Html => html`<h1 class="pf-v6-c-title pf-m-2xl">${title}</h1>`;

/** Renders what a page shows if it has no content. `title` is the reason, and `body` says what the page would show. */
export function emptyState(title: string, body: Html): Html {
  return html`<div class="pf-v6-c-empty-state"><div class="pf-v6-c-empty-state__content">
<div class="pf-v6-c-empty-state__header"><div class="pf-v6-c-empty-state__title"><h2 class="pf-v6-c-empty-state__title-text">${title}</h2></div></div>
<div class="pf-v6-c-empty-state__body">${body}</div></div></div>`;
}

/** Renders a warning that there is no object with this name; empty if `missing` is undefined. */
export function missingNote(missing: string | undefined): Html {
  if (missing === undefined) return html``;
  return html`<div class="pf-v6-c-alert pf-m-warning pf-m-inline"><p class="pf-v6-c-alert__title">⚠ ${missing} is not here: it does not exist, or hubrelay has nothing to do with it.</p></div>`;
}

/** Renders the gaps in a coverage; empty if there are none. */
export function coverageNote(coverage: Coverage): Html {
  return html`${coverageLines(coverage).map((line) => html`<p class="hr-quiet">${line}</p>`)}`;
}

/** Renders a card with a heading. */
export function card(title: string, body: Html, id?: string): Html {
  return html`<section class="pf-v6-c-card"${id ? html` id="${id}"` : ""}><div class="pf-v6-c-card__title"><h2 class="pf-v6-c-card__title-text">${title}</h2></div>
<div class="pf-v6-c-card__body">${body}</div></section>`;
}

/** Renders a table. A narrow screen shows each row as a card; the ARIA roles keep it a table for screen readers. */
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

/** Renders a command with a button that copies it. */
export function command(text: string): Html {
  return html`<div class="hr-command"><code>${text}</code> <button type="button" class="pf-v6-c-button pf-m-secondary pf-m-small" data-copy="${text}"><span class="pf-v6-c-button__text">Copy</span></button></div>`;
}

/** Renders a name and a value, as one entry of a description list. */
export function term(name: string, value: Html | string): Html {
  return html`<div class="pf-v6-c-description-list__group"><dt class="pf-v6-c-description-list__term"><span class="pf-v6-c-description-list__text">${name}</span></dt><dd class="pf-v6-c-description-list__description"><div class="pf-v6-c-description-list__text">${value}</div></dd></div>`;
}

/** Renders a field of a search form, with its label. */
export function searchField(name: string, label: string, value: string, example: string): Html {
  return html`<label for="field-${name}">${label}<span class="pf-v6-c-form-control"><input id="field-${name}" name="${name}" type="search" value="${value}" placeholder="${example}" autocomplete="off" spellcheck="false"></span></label>`;
}

/** Renders a hidden input for each of these parameters that is not empty. */
export function hiddenFields(fields: Readonly<Record<string, string | undefined>>): Html {
  return html`${Object.entries(fields).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

/** A step of a path, such as a location that nodes try. */
export type Step = Readonly<{
  colour: string;
  /** One or two characters with the same meaning as the colour. */
  mark: string;
  content: Html;
  isSkipped?: boolean;
}>;

/** Renders steps along a line. */
export function drawnPath(label: string, steps: readonly Step[]): Html {
  const items = steps.map(
    ({ colour, mark, content, isSkipped = false }) =>
      html`<li class="hr-step ${colour}${isSkipped && " hr-skipped"}"><span class="hr-dot" aria-hidden="true">${mark}</span><div class="hr-step-text">${content}</div></li>`,
  );
  return html`<ol class="hr-path" aria-label="${label}">${items}</ol>`;
}

const digests = /(@sha256:[0-9a-f]{64})/;

/** Renders a text with shortened digests. Each has a tooltip with the whole digest. */
export function shortDigests(text: string): Html {
  return html`${text.split(digests).map((part) => (digests.test(part) ? html`<span class="hr-digest" title="${part}">${part}</span>` : part))}`;
}

/** Renders a verdict on one coloured line. */
export function verdictLine(isGood: boolean, text: string): Html {
  return html`<p class="hr-verdict ${isGood ? "hr-done" : "hr-failed"}"><span class="hr-dot" aria-hidden="true">${isGood ? "✓" : "✕"}</span><span class="hr-step-text">${shortDigests(text)}</span></p>`;
}

/** Renders content that is hidden until the viewer opens it. */
export function folded(id: string, summary: Html | string, content: Html): Html {
  return html`<details id="${id}" class="hr-details"><summary>${summary}</summary>${content}</details>`;
}
