import type { NameExplanation } from "#shared/domain/mirrors/explain/explain-image.ts";
import {
  candidateText,
  originText,
  policyText,
  precedenceText,
  pullsText,
  shortNameText,
} from "#shared/domain/mirrors/explain/explain-texts.ts";
import { scopeOf } from "#shared/domain/mirrors/registries-conf/registry-entry.ts";
import { withRelativeTimes } from "#shared/domain/text/relative-times.ts";
import type { LineChange } from "../model/line-changes.ts";
import type { MirrorsView, PoolState } from "../model/mirrors-view.ts";
import type { NodeEntry, NodeSource } from "../model/node-entries.ts";
import { address } from "../model/snapshot.ts";
import { card, coverageNote, emptyState, marked, searchField, searchForm, table } from "./common.ts";
import { type Html, html, type Part } from "./html.ts";

/** How many sources are listed; the search finds the others. */
const maxSources = 200;

function questions({ image, namespace, search }: MirrorsView): Html {
  const fields = [
    searchField("image", "Where does this image come from?", image, "quay.io/acme/app:v1"),
    searchField("namespace", "For a pod in namespace", namespace, "any"),
    searchField("source", "Sources and mirrors with", search, "quay.io"),
  ];
  return searchForm("/mirrors", html`${fields}`);
}

function nameExplanation({ image, entry, candidates, policy }: NameExplanation): Html {
  let position = 0;
  const steps = candidates.map((candidate) => {
    const { taken, reference } = candidate;
    const verdict = taken
      ? marked("hr-done", `${++position}.`, "tried")
      : marked("hr-offline", "✕", "skipped");
    return html`<li>${verdict} <code>${reference}</code>: ${candidateText(candidate)}</li>`;
  });
  const chosen = entry ? `entry ${scopeOf(entry)}` : "no entry of registries.conf matches";
  return html`<h3><code>${image}</code></h3><p class="hr-quiet">${chosen}</p><ul class="hr-list">${steps}</ul><p>Policy: ${policyText(policy)}</p>`;
}

function imageExplanation({ image, explanation, problem, isRefused, nodesOf }: MirrorsView): Html {
  if (image === "")
    return html`<p class="hr-quiet">Here are the places that a node tries for an image, in their order.</p>`;
  if (isRefused)
    return html`<p>Nothing is rendered, because nodes could not pull their release: see the errors on the overview.</p>`;
  if (problem !== undefined) return html`<p class="hr-late">✕ ${problem}</p>`;
  const shortName = explanation?.resolvedBy === "search" && html`<p>${shortNameText}</p>`;
  return html`<p class="hr-quiet">On nodes of pool ${nodesOf}:</p>${shortName}${explanation?.names.map(nameExplanation)}`;
}

function sourceItem(source: NodeSource): Html {
  const { scope, mirrors, blockedBy, insecureBy, inheritsFrom, replacedBy } = source;
  const items = mirrors.map(({ location, pulls, listedBy, after, inherited, insecureBy: open }) => {
    const details = [
      ...(inherited ? [`from ${inherited.location}, a mirror of ${inherited.scope}`] : []),
      ...(listedBy.length > 0 ? [`listed by ${listedBy.map(originText).join(", ")}`] : []),
      ...after.map((one) => `after ${precedenceText(one)}`),
      ...(open.length > 0 ? [`no TLS by ${open.map(originText).join(", ")}`] : []),
    ];
    return html`<li><code>${location}</code> for ${pullsText[pulls]}<br><span class="hr-quiet">${details.join("; ")}</span></li>`;
  });
  const last =
    blockedBy.length > 0
      ? `then nothing: blocked by ${blockedBy.map(originText).join(", ")}`
      : "then the source itself";
  const open = insecureBy.length > 0 ? `; no TLS by ${insecureBy.map(originText).join(", ")}` : "";
  const inherits =
    inheritsFrom !== null && html`<p class="hr-quiet">Uses the mirrors of ${inheritsFrom}.</p>`;
  const unused =
    replacedBy &&
    html`<p class="hr-late">⚠ Not used: MachineConfig ${replacedBy.machineConfig} writes ${replacedBy.path}, which nodes use instead.</p>`;
  return html`<li><h3><code>${scope}</code></h3>${unused}${inherits}<ol class="hr-order">${items}</ol><p class="hr-quiet">${last}${open}</p></li>`;
}

function sourceList({ sources, totalSources, search }: MirrorsView): Html {
  if (totalSources === 0)
    return html`<p>No source has a mirror. Here are the sources of images with their mirrors, in the order in which nodes try them.</p>`;
  const shown = sources.slice(0, maxSources);
  const count = `${sources.length} of ${totalSources} sources${search === "" ? "" : ` with ${search}`}`;
  const more =
    sources.length > shown.length &&
    html`<p>${sources.length - shown.length} more: search for a part of their names.</p>`;
  return html`<p class="hr-quiet">${count}</p><ul class="hr-list">${shown.map(sourceItem)}</ul>${more}`;
}

function entryItem({ scope, mirrors, blocked, machineConfig, path }: NodeEntry): Html {
  const items = mirrors.map((location) => html`<li><code>${location}</code></li>`);
  return html`<li><h3><code>${scope}</code></h3><ol class="hr-order">${items}</ol><p class="hr-quiet">then ${blocked ? "nothing: blocked" : "the source itself"}, by ${path} of MachineConfig ${machineConfig}</p></li>`;
}

/** What nodes have besides the rules, or instead of them. */
function entryList({ entries, nodesOf }: MirrorsView): Html | false {
  if (entries.length === 0) return false;
  const more =
    entries.length > maxSources &&
    html`<p>${entries.length - maxSources} more: search for a part of their names.</p>`;
  return html`<h3>From MachineConfigs, on nodes of pool ${nodesOf}</h3><ul class="hr-list">${entries.slice(0, maxSources).map(entryItem)}</ul>${more}`;
}

function poolState({ verdict, reason, pending, exists, owner }: PoolState, now: Date): Html {
  const state = pending.length > 0 ? marked("hr-offline", "⚠", verdict) : marked("hr-done", "✓", verdict);
  const changes = pending.length > 0 && html`<ul>${pending.map((one) => html`<li>${one}</li>`)}</ul>`;
  return html`${state}${!exists && " (there is none yet)"}, written by ${owner}<br>${withRelativeTimes(reason, now)}${changes}`;
}

function poolTable({ pools }: MirrorsView, now: Date): Html {
  if (pools.length === 0)
    return html`<p>The hub has no built-in MachineConfigPool. Here is what is applied on each pool, what is pending, and what it costs a node.</p>`;
  return table(
    "Pools",
    ["Pool", "MachineConfig"],
    pools.map((pool) => [
      html`<a href="${address("/mirrors", { pool: pool.pool })}" data-swap>${pool.pool}</a>`,
      poolState(pool, now),
    ]),
  );
}

const signs = { same: " ", removed: "-", added: "+", folded: "…" } as const;

function lineHtml({ change, text }: LineChange): Html {
  return html`<span class="hr-${change}">${signs[change]} ${text}</span>`;
}

function fileText({ file }: MirrorsView): Html {
  if (!file)
    return html`<p>Nothing is rendered. Here is registries.conf of a pool, with the lines that change.</p>`;
  const { path, pool, lines, isChanged } = file;
  const what = pool === undefined ? "" : ` of pool ${pool}`;
  return html`<p>${path}${what}: ${isChanged ? "+ will be added, - will be removed" : "applied as it is"}</p><pre class="hr-file" tabindex="0" role="region" aria-label="${path}"><code>${lines.map(lineHtml)}</code></pre>`;
}

/** Renders where images come from, and what is applied and pending on the pools. */
export function mirrorsPage(view: MirrorsView, now: Date, part: Part): Html {
  const { totalSources, pools, applied, leftOut } = view;
  const isEmpty = totalSources === 0 && view.entries.length === 0 && pools.length === 0;
  const rules = `${applied} ${applied === 1 ? "rule takes" : "rules take"} effect${leftOut > 0 ? `, ${leftOut} left out because of errors` : ""}`;
  const body = isEmpty
    ? emptyState(
        "The hub has no mirrors",
        html`<p>Here are the sources of images with their mirrors, as soon as there is an ImageDigestMirrorSet or the like, and what is applied and pending on each MachineConfigPool.</p>`,
      )
    : html`${part("images", card("Images", html`${questions(view)}<div aria-live="polite">${imageExplanation(view)}</div>${coverageNote(view.coverage)}`, "images"))}
${part("pools", card("Pools", poolTable(view, now), "pools"))}<div class="hr-cards">${part(
        "sources",
        card(
          "Sources and their mirrors",
          html`<p class="hr-quiet">${rules}</p>${entryList(view)}${sourceList(view)}`,
          "sources",
        ),
      )}${part("file", card("Rendered file", fileText(view), "file"))}</div>`;
  return html`<h1 class="pf-v6-c-title pf-m-2xl">Mirrors</h1>${body}`;
}
