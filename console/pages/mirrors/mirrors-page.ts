import type { MirrorsView, PoolState } from "../../model/mirrors/mirrors-view.ts";
import { address } from "../../model/snapshot.ts";
import {
  card,
  coverageNote,
  emptyState,
  folded,
  hiddenFields,
  marked,
  pageTitle,
  searchField,
  searchForm,
  swapLink,
  table,
  withMoments,
} from "../common.ts";
import { type Html, html, type Part } from "../html.ts";
import { imageAnswer } from "./image-path.ts";
import { sourceList } from "./source-list.ts";

function question({ query: { image, namespace, without, source, pool } }: MirrorsView): Html {
  const fields = [
    searchField("image", "Where does this image come from?", image, "quay.io/acme/app:v1"),
    searchField("namespace", "For a pod in namespace", namespace, "any"),
    searchField("without", "While this registry is down", without, "none"),
  ];
  return searchForm("/mirrors", html`${fields}${hiddenFields({ source, pool })}`, "The image");
}

function search({ query: { image, namespace, without, source, pool } }: MirrorsView): Html {
  const field = searchField("source", "Sources, mirrors and objects with", source, "quay.io");
  const others = hiddenFields({ image, namespace, without, pool });
  return searchForm("/mirrors", html`${field}${others}`, "Sources");
}

const maxChanges = 5;

function changeList({ pool, pending }: PoolState): Html | false {
  if (pending.length === 0) return false;
  const list = html`<ul class="hr-items">${pending.map((one) => html`<li>${one}</li>`)}</ul>`;
  return pending.length > maxChanges ? folded(`changes-of-${pool}`, `${pending.length} changes`, list) : list;
}

const settled: readonly string[] = ["create", "update", "unchanged", "in agreement", "compared in part"];

function poolState(pool: PoolState): Html {
  const { verdict, reason, pending, exists, owner } = pool;
  const isSettled = pending.length === 0 && settled.includes(verdict);
  const state = isSettled ? marked("hr-done", "✓", verdict) : marked("hr-warning", "⚠", verdict);
  return html`${state} <span class="hr-quiet">written by ${owner}${!exists && ", does not exist yet"}</span><br>${withMoments(reason)}${changeList(pool)}`;
}

function poolTable({ pools, query, nodesOf }: MirrorsView): Html {
  if (pools.length === 0)
    return html`<p>The hub has no built-in MachineConfigPool. Here is what is applied on each pool, what is pending, and what it costs a node.</p>`;
  return table(
    "Pools",
    ["Pool", "State of its MachineConfig"],
    pools.map((one) => [
      swapLink(address("/mirrors", { ...query, pool: one.pool }), one.pool === nodesOf, one.pool),
      poolState(one),
    ]),
  );
}

function sourcesCard(view: MirrorsView): Html {
  const { applied, leftOut } = view;
  const rules = `${applied} ${applied === 1 ? "rule takes" : "rules take"} effect${leftOut > 0 ? `, ${leftOut} left out because of errors` : ""}`;
  return card(
    "Sources and their mirrors",
    html`${search(view)}<p class="hr-quiet">${rules}</p>${sourceList(view)}`,
    "sources",
  );
}

/** Renders the page about mirrors. */
export function mirrorsPage(view: MirrorsView, part: Part): Html {
  const { totalSources, pools } = view;
  const isEmpty = totalSources === 0 && pools.length === 0;
  const body = isEmpty
    ? emptyState(
        "The hub has no mirrors",
        html`<p>Here are the sources of images with their mirrors, as soon as there is an ImageDigestMirrorSet or the like, and what is applied and pending on each MachineConfigPool.</p>`,
      )
    : html`<div class="hr-columns">${part("images", card("Images", html`${question(view)}${imageAnswer(view)}${coverageNote(view.coverage)}`, "images"))}${part(
        "pools",
        card("Pools", poolTable(view), "pools"),
      )}${part("sources", sourcesCard(view))}</div>`;
  return html`${pageTitle("Mirrors")}${body}`;
}
