import { requireReadyAnnotation } from "#shared/domain/precache-start/limits.ts";
import { counted, shellWord } from "#shared/domain/text/human-readable.ts";
import type { Place } from "../model/mirrors/node-configuration.ts";
import {
  type LackingPlace,
  type ReadyState,
  type ReadyUpgrade,
  type ReadyView,
  statusCounts,
} from "../model/ready-view.ts";
import { address } from "../model/snapshot.ts";
import {
  card,
  command,
  drawnPath,
  emptyState,
  folded,
  marked,
  moment,
  pageTitle,
  type Step,
  shortDigests,
  swapLink,
  withMoments,
} from "./common.ts";
import { type Html, html, type Part } from "./html.ts";

const looks: Readonly<Record<ReadyState, Readonly<{ colour: string; mark: string }>>> = {
  "not ready": { colour: "hr-failed", mark: "✕" },
  unknown: { colour: "hr-warning", mark: "?" },
  ready: { colour: "hr-done", mark: "✓" },
  "not checked": { colour: "hr-waiting", mark: "·" },
};

/** Renders the readiness of an upgrade: mark and name. */
export function readyLabel(state: ReadyState, text: string = state): Html {
  const { colour, mark } = looks[state];
  return marked(colour, mark, text);
}

function counts({ counts: states, state: chosen }: ReadyView): Html {
  const links = states.map(({ state, count }) => {
    const isChosen = state === chosen;
    const to = address("/ready", { state: isChosen ? undefined : state });
    return html`<li>${swapLink(to, isChosen, readyLabel(state, `${count} ${state}`))}</li>`;
  });
  return html`<ul class="hr-row" aria-label="Upgrades by readiness">${links}</ul>`;
}

/** The number of named images; the report and the command have all. */
const maxImages = 50;

function placeStep({ location, isMirror, skipped }: Place, index: number): Step {
  const what = isMirror ? "mirror" : "the source itself";
  return {
    colour: skipped === undefined ? "hr-waiting" : "hr-warning",
    mark: skipped === undefined ? String(index + 1) : "✕",
    isSkipped: skipped !== undefined,
    content: html`<code>${location}</code> <span class="hr-quiet">${skipped === undefined ? what : `skipped: ${skipped}`}</span>`,
  };
}

function lackingItem({ places, images }: LackingPlace, id: string): Html {
  const found = statusCounts(images);
  const each = found.map(([status, count]) => (found.length > 1 ? `${count} ${status}` : status)).join(", ");
  const names = images
    .slice(0, maxImages)
    .map(
      ({ image, status }) =>
        html`<li><code>${shortDigests(image)}</code> <span class="hr-quiet">${status}</span></li>`,
    );
  const more =
    images.length > maxImages && html`<li class="hr-quiet">and ${images.length - maxImages} more</li>`;
  const where =
    places.length > 0
      ? html`<p>Nodes look for ${images.length === 1 ? "it" : "them"} in this order:</p>${drawnPath("Where nodes look", places.map(placeStep))}`
      : html`<p class="hr-quiet">Where nodes look is not known: the rules of the hub are refused.</p>`;
  return html`<li class="hr-lacking"><p>${marked("hr-failed", "✕", `${counted(images.length, "image")}: ${each}`)}</p>${where}${folded(id, images.length === 1 ? "Which one" : "Which ones", html`<ul class="hr-items">${names}${more}</ul>`)}</li>`;
}

function readinessText({ state, readiness, key }: ReadyUpgrade): Html {
  if (!readiness)
    return html`<p class="hr-quiet">No function checks it: it does not have the annotation ${requireReadyAnnotation}.</p>${command(`hubrelay ready --cgu ${shellWord(key)}`)}`;
  const { message, checked, stale, problems, warnings, fix } = readiness;
  const when = checked !== undefined && html`, checked ${moment(new Date(checked))}`;
  const more = [...problems, ...warnings].map((one) => html`<li>${withMoments(one)}</li>`);
  return html`<p>${message}<span class="hr-quiet">${when}${stale && ", which is longer ago than it should be"}</span></p>${more.length > 0 && html`<ul class="hr-items">${more}</ul>`}${fix !== undefined && state !== "ready" && html`<p>Fix: ${fix}</p>`}`;
}

function upgradeItem(upgrade: ReadyUpgrade, index: number): Html {
  const { key, state, clusters, opens, lacking } = upgrade;
  const next = opens ? html`the next window opens ${moment(opens)}` : "no window restricts it";
  const places =
    lacking.length > 0 &&
    html`<ul class="hr-places">${lacking.map((one, number) => lackingItem(one, `images-${index}-${number}`))}</ul>`;
  return html`<li class="hr-source"><h3>${readyLabel(state)} <a href="${address("/precaching", { upgrade: key })}">${key}</a> <small>${counted(clusters, "cluster")}, ${next}</small></h3>${readinessText(upgrade)}${places}</li>`;
}

/** The number of listed upgrades; the filter by state finds the others. */
const maxUpgrades = 100;

function upgradeList({ upgrades }: ReadyView): Html {
  if (upgrades.length === 0) return html`<p>No upgrade is in this state.</p>`;
  const more =
    upgrades.length > maxUpgrades && html`<p>${upgrades.length - maxUpgrades} more: choose a state.</p>`;
  return html`<ul class="hr-sources">${upgrades.slice(0, maxUpgrades).map(upgradeItem)}</ul>${more}`;
}

function limits(): Html {
  return html`<p class="hr-quiet">This page asks no registry: it shows what the function precache-ready has reported last, and where worker nodes look by the present rules of the hub. For a hosted cluster: <code>hubrelay ready --hosted NAMESPACE/NAME</code>. Not looked at: what managed clusters mirror for themselves, and mirrors that ConfigMaps of node pools add.</p>`;
}

/** Renders the next upgrades with their missing images, grouped by locations. */
export function readyPage(view: ReadyView, part: Part): Html {
  const body =
    view.total === 0
      ? emptyState(
          "No upgrade waits",
          html`<p>Here are the next ClusterGroupUpgrades that are pre-cached, with the images that mirrors lack, by where nodes look for them.</p>`,
        )
      : html`${part("states", html`<div id="states">${counts(view)}</div>`)}${part("upgrades", card("The next upgrades", upgradeList(view), "upgrades"))}`;
  return html`${pageTitle("Ready")}${body}${limits()}`;
}
