import { namesText } from "#shared/domain/precache-progress/fleet/reason-groups.ts";
import { byteSize, counted } from "#shared/domain/text/human-readable.ts";
import { openingLength } from "#shared/domain/windows/openings.ts";
import type { OpeningLoad } from "../model/opening-loads.ts";
import { address } from "../model/snapshot.ts";
import type { NextOpening, WindowRow, WindowsView } from "../model/windows-view.ts";
import { calendar } from "./calendar.ts";
import { card, emptyState, marked, missingNote, moment, pageTitle, table, zonedMoment } from "./common.ts";
import { type Html, html, type Part } from "./html.ts";

function countText(count: number, first: readonly string[]): string {
  return count === 0 ? "0" : `${count} (${namesText({ first, count })})`;
}

function people({
  usage: { inside, waiting, insideClusters = [], waitingClusters = [], upgrades = [] },
}: WindowRow): Html {
  if (inside + waiting === 0) return html`<p class="hr-quiet">No cluster works in it or waits for it.</p>`;
  const links = upgrades.map(({ namespace, name }) => {
    const key = `${namespace}/${name}`;
    return html` <a href="${address("/precaching", { upgrade: key })}">${key}</a>`;
  });
  return html`<p>Inside: ${countText(inside, insideClusters)}. Waiting: ${countText(waiting, waitingClusters)}. Upgrades:${links}</p>`;
}

/** Returns what waits for an opening. */
function waitsText({ load: { clusters, bytes }, changes }: NextOpening): string {
  return [
    ...(clusters > 0 ? [counted(clusters, "cluster")] : []),
    ...(clusters > 0 && bytes !== undefined ? [byteSize(bytes)] : []),
    ...(changes.length > 0 ? [`held: ${changes.join(", ")}`] : []),
  ].join(", ");
}

/** Renders whether the clusters that wait for an opening have their images when it closes. */
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
    html`<p>${state} · allows ${allows} · <a href="${to}" data-swap>${isSelected ? "all windows" : "only this one"}</a></p>${problem !== undefined && html`<p class="hr-late">✕ ${problem}</p>`}${people(row)}${frozen.length > 0 && html`<ul class="hr-list">${frozen}</ul>`}${openingTable(row, now)}`,
    `w${index}`,
  );
}

/** Renders the openings and freezes of the windows, what waits for each opening, and whether it fits. */
export function windowsPage(view: WindowsView, part: Part): Html {
  const { windows, missing } = view;
  const some = windows.some(({ isSelected }) => isSelected)
    ? windows.filter(({ isSelected }) => isSelected)
    : windows;
  const body =
    windows.length === 0
      ? emptyState(
          "The hub has no MaintenanceWindow",
          html`<p>Here are the openings and freezes of every MaintenanceWindow over two weeks, with the clusters inside it and those that wait.</p>`,
        )
      : html`${part("calendar", card("Two weeks", calendar(some, view), "calendar"))}<div class="hr-cards hr-broad">${some.map((row, index) => part(`w${index}`, windowCard(row, view, index)))}</div>`;
  return html`${pageTitle("Windows")}${missingNote(missing)}${body}`;
}
