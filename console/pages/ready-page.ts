import { requireReadyAnnotation } from "#shared/domain/precache-start/rollout/require-ready.ts";
import { counted, shellWord } from "#shared/domain/text/human-readable.ts";
import type { HostedUpgrade, Obstacle, ReleasePlaces } from "../model/hosted-upgrades.ts";
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
  brief,
  card,
  command,
  emptyState,
  marked,
  moment,
  pageTitle,
  swapLink,
  withMoments,
} from "./common.ts";
import { type Html, html, type Part } from "./html.ts";
import { drawnPath, folded, type Step, shortDigests } from "./path.ts";

/** The colour and mark of each state. */
const looks: Readonly<Record<ReadyState, Readonly<{ colour: string; mark: string }>>> = {
  "not ready": { colour: "hr-failed", mark: "✕" },
  unknown: { colour: "hr-warning", mark: "?" },
  ready: { colour: "hr-done", mark: "✓" },
  "not checked": { colour: "hr-waiting", mark: "·" },
};

/** Renders how ready an upgrade is: mark and name. */
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

/** Images that are named; the report and the command have all. */
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

/** Upgrades that are listed; a state finds the others. */
const maxUpgrades = 100;

function upgradeList({ upgrades }: ReadyView): Html {
  if (upgrades.length === 0) return html`<p>No upgrade is in this state.</p>`;
  const more =
    upgrades.length > maxUpgrades && html`<p>${upgrades.length - maxUpgrades} more: choose a state.</p>`;
  return html`<ul class="hr-sources">${upgrades.slice(0, maxUpgrades).map(upgradeItem)}</ul>${more}`;
}

function obstacleItem({ what, text, remedy }: Obstacle, id: string): Html {
  return html`<li class="hr-lacking">${marked("hr-failed", "✕", what)}${brief(id, text)}${remedy && html`<p class="hr-quiet">Fix: ${remedy}</p>`}</li>`;
}

function releaseSteps({ repository, places }: ReleasePlaces): Html {
  if (!places.some(({ isMirror }) => isMirror))
    return html`<li><code>${repository}</code> <span class="hr-quiet">no mirror: nodes pull from the source itself</span></li>`;
  return html`<li><code>${repository}</code>${drawnPath(`Where nodes look for ${repository}`, places.map(placeStep))}</li>`;
}

function hostedItem(upgrade: HostedUpgrade, index: number): Html {
  const { key, from, to, pools, obstacles, releasePlaces } = upgrade;
  const state = obstacles.length > 0 ? "not ready" : "not checked";
  const change = from === to ? html`runs ${to}` : html`from ${from ?? "nothing yet"} to ${to}`;
  const left = pools.map((pool) => html`<li>${pool.name} runs ${pool.from}, not yet ${pool.to}</li>`);
  const found =
    obstacles.length > 0
      ? html`<ul class="hr-places">${obstacles.map((one, number) => obstacleItem(one, `against-${index}-${number}`))}</ul>`
      : html`<p class="hr-quiet">Nothing on the hub stands against it. Whether registries have its images, the command asks.</p>`;
  const places =
    releasePlaces.length > 0 &&
    folded(
      `places-${index}`,
      "Where its nodes look for the release",
      html`<ul class="hr-list">${releasePlaces.map(releaseSteps)}</ul>`,
    );
  const ask = `hubrelay ready --hosted ${shellWord(key)}`;
  return html`<li class="hr-source"><h3>${readyLabel(state)} <a href="${address("/hosted", { cluster: key })}">${key}</a> <small>${change}</small></h3>${left.length > 0 && html`<ul class="hr-items">${left}</ul>`}${found}${places}${command(ask)}</li>`;
}

function hostedCard({ hosted, hostedClusters }: ReadyView): Html {
  if (hostedClusters === 0) return html``;
  const { total, shown } = hosted;
  const others = hostedClusters - total;
  const rest =
    others > 0 &&
    html`<p class="hr-quiet">${counted(others, "hosted cluster")} ${others === 1 ? "runs" : "run"} the release that ${others === 1 ? "it" : "they"} should. For another one: <code>hubrelay ready --hosted NAMESPACE/NAME --release IMAGE</code></p>`;
  return card(
    "Hosted clusters",
    html`<ul class="hr-sources">${shown.map(hostedItem)}</ul>${total > shown.length && html`<p>${total - shown.length} more: see <a href="/hosted">hosted clusters</a>.</p>`}${rest}`,
    "hosted",
  );
}

function limits(): Html {
  return html`<p class="hr-quiet">This page asks no registry: it shows what the function precache-ready has reported last, and where worker nodes look by the present rules of the hub. Hosted clusters are judged by what is on the hub: errors, drift, held changes, and what functions have reported. Not looked at: what managed clusters mirror for themselves, and mirrors that ConfigMaps of node pools add.</p>`;
}

/** Renders the next upgrades with what is missing for them, by where nodes look. */
export function readyPage(view: ReadyView, part: Part): Html {
  const hosted = part("hosted", hostedCard(view));
  const body =
    view.total === 0
      ? emptyState(
          "No upgrade waits",
          html`<p>Here are the next ClusterGroupUpgrades that are pre-cached, with the images that mirrors lack, by where nodes look for them.</p>`,
        )
      : html`${part("states", html`<div id="states">${counts(view)}</div>`)}${part("upgrades", card("The next upgrades", upgradeList(view), "upgrades"))}`;
  return html`${pageTitle("Ready")}${body}${hosted}${limits()}`;
}
