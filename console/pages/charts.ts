import type { ShownFleet } from "../model/precaching-view.ts";
import { moment } from "./common.ts";
import { type Html, html } from "./html.ts";

const width = 600;
const height = 160;

/** Renders how many clusters had ended over time, as a picture with the same in words below it. */
export function endsChart({ ends, total, status, windowEnds }: ShownFleet): Html {
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
  const text = `${last.ended} of ${total} clusters had ended by ${new Date(last.time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return html`<svg class="hr-chart" viewBox="0 -2 ${width} ${height + 4}" preserveAspectRatio="none" role="img" aria-label="${text}"><path class="hr-line" d="M0,${height}${steps}"></path>${estimate}${limit}</svg>
<p class="hr-quiet">From ${moment(new Date(first.time))} to ${moment(new Date(until))}${estimate && "; dashed: the estimate"}${limit && "; vertical: the window closes"}</p>`;
}
