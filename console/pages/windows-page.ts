import { byteSize, counted } from "#shared/domain/text/human-readable.ts";
import { openingLength } from "#shared/domain/windows/openings.ts";
import { address } from "../model/snapshot.ts";
import type { NextOpening, OpeningLoad, WindowRow, WindowsView } from "../model/windows-view.ts";
import { legendKey } from "./charts.ts";
import { card, emptyState, marked, missingNote, moment, pageTitle, table, zonedMoment } from "./common.ts";
import { type Html, html, type Part } from "./html.ts";

function waitsText({ load: { clusters, bytes }, changes }: NextOpening): string {
  return [
    ...(clusters > 0 ? [counted(clusters, "cluster")] : []),
    ...(clusters > 0 && bytes !== undefined ? [byteSize(bytes)] : []),
    ...(changes.length > 0 ? [`held: ${changes.join(", ")}`] : []),
  ].join(", ");
}

function fitMark({ clusters, fitting, unknown }: OpeningLoad): Html {
  if (clusters === 0) return html``;
  if (fitting === clusters) return marked("hr-done", "✓", clusters === 1 ? "fits" : "all fit");
  if (unknown === clusters) return marked("hr-waiting", "?", "not known whether it fits");
  const rest = unknown > 0 ? `, ${unknown} not known` : "";
  return marked("hr-warning", "⚠", `${fitting} of ${clusters} fit${rest}`);
}

function openingTable({ key, next, zone }: WindowRow, now: Date): Html {
  if (!zone || next.length === 0) return html`<p>It does not open.</p>`;
  return table(
    `Openings of ${key}`,
    ["Opens", "For", "Waits for it"],
    next.map((opening) => {
      const { start, load } = opening;
      return [
        html`${start <= now && html`${marked("hr-done", "✓", "open since")} `}${zonedMoment(start, zone)}`,
        html`${openingLength(opening)}`,
        html`${waitsText(opening) || html`<span class="hr-quiet">nothing</span>`} ${fitMark(load)}`,
      ];
    }),
  );
}

function windowCard(row: WindowRow, { now }: WindowsView, index: number): Html {
  const { key, isOpen, allows, problem, freezes, isSelected } = row;
  const state = isOpen ? marked("hr-done", "✓", "open") : marked("hr-waiting", "◷", "closed");
  const frozen = freezes.map(
    ({ start, end, reason }) =>
      html`<li>❄ No opening starts from ${moment(start)} to ${moment(end)}${reason && `: ${reason}`}</li>`,
  );
  const to = address("/windows", { window: isSelected ? undefined : key });
  return card(
    key,
    html`<p>${state} · allows ${allows} · <a href="${to}" data-swap>${isSelected ? "all windows" : "only this one"}</a></p>${problem !== undefined && html`<p class="hr-late">✕ ${problem}</p>`}${frozen.length > 0 && html`<ul class="hr-list">${frozen}</ul>`}${openingTable(row, now)}`,
    `w${index}`,
  );
}

/** Renders the page about windows. */
export function windowsPage(view: WindowsView, part: Part): Html {
  const { windows, missing } = view;
  const some = windows.some(({ isSelected }) => isSelected)
    ? windows.filter(({ isSelected }) => isSelected)
    : windows;
  const body =
    windows.length === 0
      ? emptyState(
          "The hub has no MaintenanceWindow",
          html`<p>Here are the openings and freezes of every MaintenanceWindow over two weeks, with the clusters that wait for it.</p>`,
        )
      : html`${part("calendar", card("Two weeks", calendar(some, view), "calendar"))}<div class="hr-cards hr-broad">${some.map((row, index) => part(`w${index}`, windowCard(row, view, index)))}</div>`;
  return html`${pageTitle("Windows")}${missingNote(missing)}${body}`;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Minimum width of an opening, in percent of the calendar's width: one hour in two weeks must be visible. */
const minPercent = 0.4;
const rowHeight = 48;

function place({ from, to }: WindowsView): (time: Date) => number {
  const length = to.getTime() - from.getTime();
  return (time) => Math.min(1, Math.max(0, (time.getTime() - from.getTime()) / length)) * 100;
}

const percent = (value: number) => `${value.toFixed(2)}%`;

/** Returns the days of the calendar as midnights in UTC. The browser moves them to the viewer's midnights. */
function daysOf({ from, to }: WindowsView): readonly Date[] {
  const count = Math.round((to.getTime() - from.getTime()) / dayMs);
  return Array.from({ length: count }, (_, index) => new Date(from.getTime() + index * dayMs));
}

const dateOf = (day: Date) => day.toISOString().slice(0, 10);

function dayLabel(day: Date, index: number): string {
  const [weekday = "", date = "", month = ""] = day.toUTCString().replace(",", "").split(" ");
  return index === 0 || date === "01" ? `${Number(date)} ${month}` : `${weekday} ${Number(date)}`;
}

function axis(view: WindowsView): Html {
  const x = place(view);
  const labels = daysOf(view).map(
    (day, index) =>
      html`<text data-day="${dateOf(day)}" x="${percent(x(day))}" y="14" dx="4">${dayLabel(day, index)}</text>`,
  );
  const now = percent(x(view.now));
  return html`<svg class="hr-axis" aria-hidden="true"><defs><pattern id="frozen" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hr-freeze" width="6" height="6"></rect><line class="hr-freeze-line" x1="0" x2="0" y1="0" y2="6"></line></pattern></defs>${labels}<text class="hr-now-text" x="${now}" y="32" text-anchor="middle">now</text></svg>`;
}

function picture({ key, openings, freezes }: WindowRow, view: WindowsView): Html {
  const x = place(view);
  const open = openings.map(
    ({ start, end }) =>
      html`<rect class="hr-opening" x="${percent(x(start))}" y="16" width="${percent(Math.max(minPercent, x(end) - x(start)))}" height="16" rx="2"></rect>`,
  );
  const days = daysOf(view).map(
    (day) =>
      html`<line class="hr-day" data-day="${dateOf(day)}" x1="${percent(x(day))}" x2="${percent(x(day))}" y1="0" y2="${rowHeight}"></line>`,
  );
  const frozen = freezes.map(
    ({ start, end }) =>
      html`<rect fill="url(#frozen)" x="${percent(x(start))}" y="0" width="${percent(x(end) - x(start))}" height="${rowHeight}"></rect>`,
  );
  const now = percent(x(view.now));
  const names = [
    `${key}: ${counted(openings.length, "opening")}`,
    ...(freezes.length > 0 ? [counted(freezes.length, "freeze")] : []),
  ].join(", ");
  return html`<svg class="hr-calendar-days" role="img" aria-label="${names}">${frozen}${days}${open}<line class="hr-now" x1="${now}" x2="${now}" y1="0" y2="${rowHeight}"></line></svg>`;
}

/** Renders a calendar of two weeks with the openings and freezes of windows. */
export function calendar(windows: readonly WindowRow[], view: WindowsView): Html {
  const rows = windows.map(
    (row) =>
      html`<li><a href="${address("/windows", { window: row.isSelected ? undefined : row.key })}" data-swap${row.isSelected && html` aria-current="true"`}>${row.key}</a>${picture(row, view)}</li>`,
  );
  const { from, to } = view;
  return html`<div class="hr-calendar" data-from="${from.getTime()}" data-to="${to.getTime()}"><div class="hr-calendar-head"><span></span>${axis(view)}</div><ul aria-label="Windows">${rows}</ul></div>
<p class="hr-legend">${legendKey("opening", "open")}${legendKey("freeze", "freeze: no opening starts")}${legendKey("now", "now")}</p>`;
}
