import { counted } from "#shared/domain/text/human-readable.ts";
import type { EndsAt, ShownFleet } from "../model/precaching-view.ts";
import { moment } from "./common.ts";
import { type Html, html } from "./html.ts";

const width = 600;
const height = 160;
/** The highest bar takes this share of the height, so that bars stay below most of the lines. */
const barShare = 0.4;
const bars = 30;

/** Returns how many clusters ended in each of equal parts of the time from the first end to the last. */
export function throughput(ends: readonly EndsAt[]): readonly number[] {
  const first = ends[0]?.time ?? 0;
  const span = Math.max(1, (ends.at(-1)?.time ?? 0) - first);
  const counts = new Array<number>(bars).fill(0);
  for (const [index, { time, ended }] of ends.entries()) {
    const bar = Math.min(bars - 1, Math.floor(((time - first) / span) * bars));
    counts[bar] = (counts[bar] ?? 0) + ended - (ends[index - 1]?.ended ?? 0);
  }
  return counts;
}

/**
 * Renders how many clusters had ended over time, how many images they had pulled, and how many ended at a time, as a
 * picture with the same in words below it.
 */
export function endsChart({ ends, total, images, status, windowEnds }: ShownFleet): Html {
  const [first] = ends;
  const last = ends.at(-1);
  if (!first || !last) return html`<p>No cluster has ended yet. Here is how many had ended over time.</p>`;
  const { estimatedEnd } = status;
  const until = Math.max(
    last.time,
    ...(estimatedEnd && last.ended < total ? [Date.parse(estimatedEnd)] : []),
    first.time + 60_000,
  );
  const x = (time: number) => ((time - first.time) / (until - first.time)) * width;
  const y = (ended: number) => height - (ended / total) * height;
  const steps = ends.map(({ time, ended }) => `H${x(time).toFixed(1)}V${y(ended).toFixed(1)}`).join("");
  const isShown =
    windowEnds !== undefined && windowEnds.getTime() <= until && windowEnds.getTime() > first.time;
  const limit =
    isShown &&
    html`<line class="hr-limit" x1="${x(windowEnds.getTime()).toFixed(1)}" x2="${x(windowEnds.getTime()).toFixed(1)}" y1="0" y2="${height}"></line>`;
  const estimate =
    estimatedEnd !== undefined &&
    last.ended < total &&
    html`<line class="hr-estimate" x1="${x(last.time).toFixed(1)}" y1="${y(last.ended).toFixed(1)}" x2="${x(Date.parse(estimatedEnd)).toFixed(1)}" y2="0"></line>`;
  const pulled = ends
    .map((at) => `H${x(at.time).toFixed(1)}V${(height - (at.images / images.total) * height).toFixed(1)}`)
    .join("");
  const imageLine =
    last.images > 0 && html`<path class="hr-line hr-image-line" d="M0,${height}${pulled}"></path>`;
  const counts = throughput(ends);
  const max = Math.max(...counts);
  const barWidth = x(last.time) / counts.length;
  const rates =
    ends.length > 1 &&
    counts.map((count, index) => {
      const tall = (count / max) * height * barShare;
      return html`<rect class="hr-rate" x="${(index * barWidth).toFixed(1)}" y="${(height - tall).toFixed(1)}" width="${(barWidth * 0.8).toFixed(1)}" height="${tall.toFixed(1)}"></rect>`;
    });
  const minutes = (last.time - first.time) / 60_000 / bars;
  const legend = [
    "solid: clusters",
    imageLine && `dotted: their images, ${last.images} of ${images.total}`,
    rates && `bars: clusters that ended at a time, at most ${(max / minutes).toFixed(1)} a minute`,
    estimate && "dashed: the estimate",
    limit && "vertical: the window closes",
  ].filter((part) => typeof part === "string");
  const text = `${last.ended} of ${counted(total, "cluster")} had ended by ${new Date(last.time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return html`<svg class="hr-chart" viewBox="0 -2 ${width} ${height + 4}" preserveAspectRatio="none" role="img" aria-label="${text}">${rates || html``}<path class="hr-line" d="M0,${height}${steps}"></path>${imageLine}${estimate}${limit}</svg>
<p class="hr-quiet">From ${moment(new Date(first.time))} to ${moment(new Date(until))}; ${legend.join("; ")}</p>`;
}
