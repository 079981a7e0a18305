import { byteSize } from "#shared/domain/text/human-readable.ts";
import type { ClusterPanel } from "../model/cluster-panel.ts";
import { groupClass, groupLabel } from "./cluster-states.ts";
import { command, moment, sidePanel, withMoments } from "./common.ts";
import { type Html, html } from "./html.ts";

/** A step of a story; one without a time is what is so now. */
type Step = Readonly<{ at?: string | undefined; colour?: string; content: Html }>;

const step = (at: string | Date | null | undefined | false, content: Html, colour = ""): readonly Step[] =>
  at ? [{ at: typeof at === "string" ? at : at.toISOString(), content, colour }] : [];

function windowText({ windows, isWindowOpen, windowChanges }: ClusterPanel): string {
  if (windows.length === 0) return "No window restricts it.";
  const state = isWindowOpen ? "open" : windowChanges ? "closed" : "closed for good";
  return `${windows.join(", ")}: ${state}`;
}

function progress({ cluster }: ClusterPanel): Html {
  const { imagesDone = 0, imagesTotal, bytesDone = 0, bytesTotal } = cluster;
  if (imagesTotal === undefined) return html``;
  const bytes = bytesTotal === undefined ? "" : `, ${byteSize(bytesDone)} of ${byteSize(bytesTotal)}`;
  const width = (100 * imagesDone) / Math.max(1, imagesTotal);
  return html`<svg class="hr-progress" aria-hidden="true"><rect class="hr-ground" width="100%" height="8" rx="4"></rect><rect class="hr-fill ${groupClass("done")}" width="${width.toFixed(1)}%" height="8" rx="4"></rect></svg>${imagesDone} of ${imagesTotal} images${bytes}`;
}

function pastSteps({ cluster, group, earlier }: ClusterPanel): readonly Step[] {
  const { reason, message, attempt, since, check } = cluster;
  return [
    ...earlier.flatMap((one) =>
      step(one.since, html`${groupLabel(one.group)} for ${one.upgrade}`, groupClass(one.group)),
    ),
    ...step(
      since,
      html`${groupLabel(group)}: ${reason} <span class="hr-quiet">attempt ${attempt}</span>${message && html`<br>${withMoments(message)}`}`,
      groupClass(group),
    ),
    ...step(
      check?.checked,
      html`Checked: ${check?.imagesPresent} of ${check?.imagesTotal} images are there${check?.message && html`<br>${withMoments(check.message)}`}`,
    ),
  ];
}

function comingSteps({ cluster, isWindowOpen, windowChanges, forecast }: ClusterPanel): readonly Step[] {
  const isExpected = forecast?.state === "expected";
  return [
    ...step(windowChanges, html`Its window ${isWindowOpen ? "closes" : "opens"}`),
    ...step(isExpected && forecast.expectedEnd, html`Expected to have its images`),
    ...step(isExpected && forecast.latestEnd, html`Has its images at the latest`),
    ...step(cluster.deadline, html`Attempt ${cluster.attempt} ends at the latest`),
  ];
}

const byTime = (a: Step, b: Step) => Date.parse(a.at ?? "") - Date.parse(b.at ?? "");

function storyItem({ at, colour = "", content }: Step, when = ""): Html {
  return html`<li class="${[when, colour].filter(Boolean).join(" ")}">${at && moment(new Date(at))}<div>${content}</div></li>`;
}

/** Renders the story of a cluster: what a person does, what has happened, what is so now, and what is to come. */
export function clusterPanel(panel: ClusterPanel, close: string, now: Date): Html {
  const { cluster, group, site, remedy, retry, forecast } = panel;
  const { message, reason, since } = cluster;
  const all = [...pastSteps(panel), ...comingSteps(panel)].sort(byTime);
  const [past, coming] = [true, false].map((wanted) =>
    all.filter(({ at }) => new Date(at ?? "") <= now === wanted),
  );
  const isOpen = group !== "done" && group !== "failed";
  const unknown =
    isOpen &&
    forecast?.state === "unknown" &&
    html`<p class="hr-quiet">Its end is not known. ${forecast.reason}</p>`;
  const why = since === undefined && html`<p>${reason}${message && html`<br>${withMoments(message)}`}</p>`;
  const present = html`<strong>Now</strong>${why}${progress(panel)}<p>${windowText(panel)}</p>${unknown}`;
  const body = html`<p>${groupLabel(group)}${site !== undefined && html` at ${site}`} <span class="hr-quiet">${cluster.state}</span></p>${
    remedy !== "" && html`<p><strong>Fix:</strong> ${remedy}</p>`
  }${retry && command(retry)}<ol class="hr-story">${past?.map((one) => storyItem(one))}<li class="hr-present"><div>${present}</div></li>${coming?.map((one) => storyItem(one, "hr-coming"))}</ol>`;
  return sidePanel(cluster.name, body, close);
}
