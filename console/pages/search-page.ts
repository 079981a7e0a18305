import { counted } from "#shared/domain/text/human-readable.ts";
import type { SearchHit, SearchView } from "../model/search-view.ts";
import { address } from "../model/snapshot.ts";
import { groupLabel } from "./cluster-states.ts";
import { card, emptyState, pageTitle, table } from "./common.ts";
import { type Html, html, type Part } from "./html.ts";

const row = ({ kind, name, detail, to, group }: SearchHit): readonly Html[] => [
  html`<a href="${to}">${name}</a>`,
  html`${kind}`,
  html`${group && groupLabel(group)} ${detail}`,
];

/** The pages that search in what they show themselves. */
function elsewhere(find: string): Html {
  const links = [
    { to: address("/mirrors", { image: find }), text: "where an image of this name comes from" },
    { to: address("/mirrors", { source: find }), text: "sources and mirrors" },
    {
      to: address("/hosted", { find }),
      text: "versions, mirrors, catalogs and capabilities of hosted clusters",
    },
    { to: address("/activity", { object: find }), text: "activity" },
  ];
  return html`<h3>Also search for ${find} in</h3><ul class="hr-list">${links.map(({ to, text }) => html`<li><a href="${to}">${text}</a></li>`)}</ul>`;
}

function results({ hits, found, find }: SearchView): Html {
  const more =
    found > hits.length && html`<p>The first ${hits.length} are shown: write more of the name.</p>`;
  const rows =
    found > 0
      ? table("Results", ["Name", "Kind", "State and place"], hits.map(row))
      : html`<p>Nothing has that name.</p>`;
  return html`<p class="hr-quiet" aria-live="polite">${counted(found, "result")} for ${find}</p>${more}${rows}${elsewhere(find)}`;
}

/** Renders everything whose name has the words of the search. */
export function searchPage(view: SearchView, part: Part): Html {
  const body =
    view.find.trim() === ""
      ? emptyState(
          "Search everything",
          html`<p>Here are clusters, sites, upgrades, windows, hosted clusters, pools and mirror sets with every word that you search for. The key / leads to the field from any page.</p>`,
        )
      : part("results", card("Results", results(view), "results"));
  return html`${pageTitle("Search")}${body}`;
}
