import { durationText } from "#shared/domain/windows/duration.ts";
import { wallClock } from "#shared/domain/windows/listed-window.ts";
import { address } from "../model/snapshot.ts";
import type { WindowRow, WindowsView } from "../model/windows-view.ts";
import { card, emptyState, marked, missingNote, moment, table } from "./common.ts";
import { type Html, html, type Part } from "./html.ts";

const width = 1_400;
const height = 28;
const day = 24 * 60 * 60 * 1000;

/** The widths of openings are exaggerated to this, so that an hour in two weeks is seen. */
const narrowest = 4;

function timeline({ openings, freezes, next, zone }: WindowRow, { from, to }: WindowsView): Html {
  const length = to.getTime() - from.getTime();
  const x = (time: Date) =>
    (Math.min(Math.max(time.getTime(), from.getTime()), to.getTime()) - from.getTime()) * (width / length);
  const days = Array.from({ length: Math.floor(length / day) }, (_, index) => {
    const at = x(new Date(Math.floor(from.getTime() / day) * day + (index + 1) * day)).toFixed(1);
    return html`<line class="hr-day" x1="${at}" x2="${at}" y1="0" y2="${height}"></line>`;
  });
  const frozen = freezes.map(
    ({ start, end }) =>
      html`<rect class="hr-freeze" x="${x(start).toFixed(1)}" y="0" width="${Math.max(narrowest, x(end) - x(start)).toFixed(1)}" height="${height}"></rect>`,
  );
  const open = openings.map(
    ({ start, end }) =>
      html`<rect class="hr-opening" x="${x(start).toFixed(1)}" y="6" width="${Math.max(narrowest, x(end) - x(start)).toFixed(1)}" height="${height - 12}"></rect>`,
  );
  const [first] = next;
  const names = [
    `${openings.length} openings in two weeks`,
    ...(first && zone ? [`the first at ${wallClock(zone, first.start)} ${zone.name}`] : []),
    ...(freezes.length > 0 ? [`${freezes.length} freezes`] : []),
  ];
  return html`<svg class="hr-timeline" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${names.join(", ")}"><rect class="hr-timeline-ground" x="0" y="0" width="${width}" height="${height}"></rect>${frozen}${days}${open}</svg>`;
}

function people({
  usage: { inside, waiting, insideClusters = [], waitingClusters = [], upgrades = [] },
}: WindowRow): Html {
  if (inside + waiting === 0) return html`<p class="hr-quiet">No cluster works in it or waits for it.</p>`;
  const some = (count: number, names: readonly string[]) =>
    count === 0 ? "" : `: ${names.join(", ")}${count > names.length ? " …" : ""}`;
  const links = upgrades.map(({ namespace, name }) => {
    const key = `${namespace}/${name}`;
    return html` <a href="${address("/precaching", { upgrade: key })}">${key}</a>`;
  });
  return html`<p>Inside: ${inside}${some(inside, insideClusters)}</p><p>Waiting: ${waiting}${some(waiting, waitingClusters)}</p><p>Upgrades:${links}</p>`;
}

function openingTable({ key, next, zone }: WindowRow, now: Date): Html {
  if (!zone || next.length === 0) return html`<p>It does not open.</p>`;
  return table(
    `Openings of ${key}`,
    ["Opens", "Fleet time", "For"],
    next.map(({ start, end }) => [
      html`${moment(start)}${start <= now && " ✓ open"}`,
      html`${wallClock(zone, start)} ${zone.name}`,
      html`${durationText(end.getTime() - start.getTime())}`,
    ]),
  );
}

function windowCard(row: WindowRow, view: WindowsView, index: number): Html {
  const { key, isOpen, allows, problem, freezes, zone, isSelected } = row;
  const state = isOpen ? marked("hr-done", "✓", "open") : marked("hr-waiting", "◷", "closed");
  const frozen = freezes.map(
    ({ start, end, reason }) =>
      html`<li>No opening starts from ${zone && wallClock(zone, start)} to ${zone && wallClock(zone, end)}${reason && `: ${reason}`}</li>`,
  );
  const to = address("/windows", { window: isSelected ? undefined : key });
  return card(
    key,
    html`<p>${state} · allows ${allows} · <a href="${to}" data-swap>${isSelected ? "all windows" : "only this one"}</a></p>${problem !== undefined && html`<p class="hr-late">✕ ${problem}</p>`}${timeline(row, view)}${frozen.length > 0 && html`<ul class="hr-list">${frozen}</ul>`}<div class="hr-cards"><div>${openingTable(row, view.from)}</div><div>${people(row)}</div></div>`,
    `w${index}`,
  );
}

/** Renders the openings and freezes of the windows, and who waits for them. */
export function windowsPage(view: WindowsView, part: Part): Html {
  const { windows, from, to, missing } = view;
  const some = windows.some(({ isSelected }) => isSelected)
    ? windows.filter(({ isSelected }) => isSelected)
    : windows;
  const body =
    windows.length === 0
      ? emptyState(
          "The hub has no MaintenanceWindow",
          html`<p>Here are the openings and freezes of every MaintenanceWindow over two weeks, with the clusters inside it and those that wait.</p>`,
        )
      : html`${part("span", html`<p id="span" class="hr-quiet">From ${moment(from)} to ${moment(to)}; green: open, blue: freeze, lines: days in UTC</p>`)}${some.map((row, index) => part(`w${index}`, windowCard(row, view, index)))}`;
  return html`<h1 class="pf-v6-c-title pf-m-2xl">Windows</h1>${missingNote(missing)}${body}`;
}
