import { forecastLine } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import { namesText } from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import type { FleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { counted, dayAndTime } from "#shared/domain/text/human-readable.ts";
import type { FleetForecast } from "../model/precaching-view.ts";
import { moment, withMoments } from "./common.ts";
import { type Html, html } from "./html.ts";

/** The size of the drawing in its own units. Curves are stretched to the width of the page, texts are not. */
const width = 600;
const height = 160;
const top = 24;

/** A time in milliseconds since 1970, and the number of clusters that have their images then. */
export type CurvePoint = Readonly<{ time: number; count: number }>;

/** Returns a curve that begins at `from` and rises by one at each time. */
export function curveOf(times: readonly (string | null)[], from: CurvePoint): readonly CurvePoint[] {
  const sorted = times.flatMap((time) => (time === null ? [] : [Date.parse(time)])).sort((a, b) => a - b);
  return [from, ...sorted.map((time, index) => ({ time, count: from.count + index + 1 }))];
}

const minuteMs = 60_000;
/** Distances between the times on an axis, in minutes. A long axis uses multiples of a day instead. */
const steps = [1, 5, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 10_080];
const maxTicks = 4;

/** Returns the round times to show on an axis. */
export function ticksBetween(from: number, until: number): readonly number[] {
  const minutes = (until - from) / minuteMs;
  const fitting = steps.find((one) => minutes / one <= maxTicks);
  const step = (fitting ?? Math.ceil(minutes / maxTicks / 1_440) * 1_440) * minuteMs;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.floor((until - first) / step) + 1 }, (_, index) => first + index * step);
}

type Scale = Readonly<{ x(time: number): number; y(count: number): number }>;

function pathOf(points: readonly CurvePoint[], { x, y }: Scale): string {
  const places = new Map(points.map(({ time, count }) => [x(time).toFixed(0), y(count).toFixed(1)]));
  return [...places].map(([at, tall], index) => (index === 0 ? `M${at},${tall}` : `H${at}V${tall}`)).join("");
}

const percent = (share: number) => `${(share * 100).toFixed(2)}%`;

function mark(className: string, share: number, name: string, isLeft: boolean): Html {
  const at = percent(share);
  return html`<line class="${className}" x1="${at}" x2="${at}" y1="${top - 14}" y2="${top + height}"></line><text class="${className}-text" x="${at}" y="12" dx="${isLeft ? -4 : 4}" text-anchor="${isLeft ? "end" : "start"}">${name}</text>`;
}

function anchorOf(share: number): string {
  if (share > 0.9) return "end";
  return share < 0.1 ? "start" : "middle";
}

/** On an axis of six days or more, weekdays would be ambiguous. */
function tickLabel(time: number, ticks: readonly number[], share: number): Html {
  const days = ((ticks.at(-1) ?? time) - (ticks[0] ?? time)) / (1_440 * minuteMs);
  const [weekday, date, minute] = dayAndTime(new Date(time)).split(" ");
  const [name, text] = days < 6 ? ["time", `${weekday} ${minute}`] : ["date", `${weekday} ${date}`];
  return html`<text data-${name}="${new Date(time).toISOString()}" x="${percent(share)}" y="${top + height + 18}" text-anchor="${anchorOf(share)}">${text}</text>`;
}

/** Renders an entry in the legend of a chart. */
export const legendKey = (sign: string, text: Html | string): Html =>
  html`<span class="hr-legend-item"><span class="hr-key hr-${sign}-key"></span>${text}</span>`;

const maxSites = 5;

function forecastNote(status: FleetStatus): Html {
  const line = forecastLine(status);
  if (line === undefined) return html``;
  const late = status.forecast?.sites.filter(({ late }) => late > 0) ?? [];
  const first = late.slice(0, maxSites).map(({ site }) => site);
  const names = namesText({ first, count: late.length });
  return html`<p>${withMoments(line)}${first.length > 0 && html` <span class="hr-quiet">at ${names}</span>`}</p>`;
}

/** Renders a chart of the number of clusters that have ended over time, with the forecast and the deadline. */
export function forecastChart({ ends, status, deadline, isLate }: FleetForecast, now: Date): Html {
  const { forecast, total } = status;
  const last = ends.at(-1);
  const expected = forecast?.byCluster.filter(({ state }) => state === "expected") ?? [];
  if (!last && expected.length === 0)
    return html`<p>No cluster has ended yet, and the ends of the others are not known. Here is how many had ended over time, and when the others will.</p>${forecastNote(status)}`;
  // The server sends the picture again whenever it changes, so the time is rounded to the minute.
  const nowMs = Math.floor(now.getTime() / minuteMs) * minuteMs;
  const ended = ends.map(({ time, ended: count }) => ({ time, count }));
  const present = { time: Math.max(nowMs, last?.time ?? nowMs), count: last?.ended ?? 0 };
  const soon = curveOf(
    expected.map((one) => one.expectedEnd),
    present,
  );
  const slow = curveOf(
    expected.map((one) => one.latestEnd),
    present,
  );
  const start = ends[0]?.time ?? nowMs;
  const lastEnd = Math.max(present.time, soon.at(-1)?.time ?? 0, start + minuteMs);
  const due = deadline?.at.getTime() ?? 0;
  // Times long after the expected end are not shown: the curves would be too narrow to read.
  const isDueShown = due > start && due - start < 3 * (lastEnd - start);
  const needed = isDueShown ? Math.max(lastEnd, due) : lastEnd;
  const until = Math.min(Math.max(needed, slow.at(-1)?.time ?? 0), start + 1.3 * (needed - start));
  const share = (time: number) => (time - start) / (until - start);
  const scale: Scale = { x: (time) => share(time) * width, y: (count) => height - (count / total) * height };
  const done = pathOf([{ time: start, count: 0 }, ...ended, present], scale);
  const soonPath = expected.length > 0 && html`<path class="hr-soon" d="${pathOf(soon, scale)}"></path>`;
  const slowPath = slow.length > 1 && html`<path class="hr-slow" d="${pathOf(slow, scale)}"></path>`;
  const grid = [0, 0.5, 1].map(
    (part) =>
      html`<line class="hr-grid-line" x1="0" x2="${width}" y1="${height * part}" y2="${height * part}"></line>`,
  );
  const ticks = ticksBetween(start, until);
  const labels = ticks.map((time) => tickLabel(time, ticks, share(time)));
  const area = `${done}V${height}H0Z`;
  const text = `${present.count} of ${counted(total, "cluster")} had ended by ${dayAndTime(new Date(present.time))} UTC`;
  const isKnown = present.count === total || forecast?.unknown === 0;
  const verdict = isLate
    ? html`<strong class="hr-late">⚠ not all clusters are in time</strong>`
    : isKnown && html`<strong class="hr-state hr-done">✓ in time</strong>`;
  const keys = [
    legendKey("ended", "have ended"),
    soonPath && legendKey("soon", "expected"),
    slowPath && legendKey("slow", "at the latest"),
    deadline && legendKey("limit", html`${deadline.what}: ${moment(deadline.at)} ${verdict}`),
  ];
  return html`<svg class="hr-chart" role="img" aria-label="${text}"><svg y="${top}" width="100%" height="${height}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${grid}<path class="hr-area" d="${area}"></path>${slowPath}${soonPath}<path class="hr-line" d="${done}"></path></svg><text x="0" y="${top - 5}">${total}</text>${total > 1 && html`<text x="0" y="${top + height / 2 - 5}">${Math.round(total / 2)}</text>`}${mark("hr-now", share(present.time), "now", share(present.time) > 0.2)}${isDueShown && deadline && mark("hr-limit", share(due), deadline.what, share(due) > 0.6)}${labels}</svg>
<p class="hr-legend">${keys}</p>${forecastNote(status)}`;
}
