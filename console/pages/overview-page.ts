import { kinds } from "#shared/domain/kubernetes/object.ts";
import { reasonText } from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import type { OverviewView } from "../model/overview-view.ts";
import { address } from "../model/snapshot.ts";
import { fleetBar, groupCounts, groupLabel, siteLinks } from "./cluster-states.ts";
import { card, coverageNote, folded, marked, pageTitle, withMoments } from "./common.ts";
import { type Html, html, type Part } from "./html.ts";

/** Maximum number of items of one kind that are not folded, so that the other kinds stay visible. */
const maxShown = 5;

function attentionList(title: string, items: readonly Html[]): Html {
  if (items.length === 0) return html``;
  const rest = items.slice(maxShown);
  const more =
    rest.length > 0 &&
    folded(
      `more-${title.toLowerCase().replaceAll(" ", "-")}`,
      `${rest.length} more`,
      html`<ul class="hr-list">${rest}</ul>`,
    );
  return html`<div><h3>${title} <small>${items.length}</small></h3><ul class="hr-list">${items.slice(0, maxShown)}</ul>${more}</div>`;
}

const maxUnread = 5;

function unreadNote({ unread }: OverviewView): Html {
  if (unread.length === 0) return html``;
  const more = unread.length > maxUnread && ` and ${unread.length - maxUnread} more`;
  return html`<p class="hr-unread">${marked("hr-warning", "?", "Not all is known.")} Not read yet: ${unread.slice(0, maxUnread).join(", ")}${more}. What depends on that is missing here, or wrong.</p>`;
}

function attention(view: OverviewView): Html {
  const { problems, differences, failures, unread } = view;
  if (problems.length + differences.length + failures.length === 0)
    return html`${unread.length === 0 && html`<p>${marked("hr-done", "✓", "Nothing needs a person now.")}</p>`}<p class="hr-quiet">Here are errors in objects with their fix, upgrades that wait for images, changes that are held, and clusters that failed.</p>`;
  const failed = failures.flatMap(({ upgrade, reasons }) =>
    reasons.map((one) => {
      const { group, reason, example, remedy } = one;
      const to = address("/precaching", { upgrade, state: group, reason });
      return html`<li><a href="${to}">${groupLabel(group, reasonText(one))}</a> in <strong>${upgrade}</strong>${siteLinks(one, upgrade)}<p>${withMoments(example)}</p>${remedy !== "" && html`<p class="hr-quiet">Fix: ${remedy}</p>`}</li>`;
    }),
  );
  const errors = problems.map(
    ({ object, path, code, message, remedy }) =>
      html`<li>${marked("hr-failed", "✕", code)} <strong>${object}</strong> <code>${path}</code><p>${withMoments(message)}</p>${remedy && html`<p class="hr-quiet">Fix: ${remedy}</p>`}</li>`,
  );
  const held = differences.map(
    ({ subject, owner, verdict, reason, differences: count, page }) =>
      html`<li>${marked("hr-warning", "⚠", verdict)} <a href="${page}">${subject}</a>, written by ${owner}: ${counted(count, "difference")}<p>${withMoments(reason)}</p></li>`,
  );
  const columns = [
    attentionList("Clusters", failed),
    attentionList("Objects with errors", errors),
    attentionList("Differs from what it should be", held),
  ];
  return html`<div class="hr-attention">${columns}</div>`;
}

function fleets(view: OverviewView): Html {
  const { fleets: all } = view;
  if (all.length === 0) {
    const kind = kinds.ClusterGroupUpgrade.kind;
    const isUnread = view.unread.includes(kind);
    return html`<p>${isUnread ? marked("hr-warning", "?", `Not read yet: ${kind}`) : "No ClusterGroupUpgrade is pre-cached by hubrelay. Here is a bar for each."}</p>`;
  }
  const bars = all.map(
    ({ key, message, bar, total, ended }) =>
      html`<h3><a href="${address("/precaching", { upgrade: key })}">${key}</a> <small>${ended}/${total} ended</small></h3><p>${withMoments(message)}</p>${fleetBar(bar, total)}${groupCounts({ key, bar })}`,
  );
  const rest = bars.slice(maxShown);
  const more = rest.length > 0 && folded("more-fleets", `${rest.length} more`, html`${rest}`);
  return html`${bars.slice(0, maxShown)}${more}`;
}

/** Renders the overview. */
export function overviewPage(view: OverviewView, part: Part): Html {
  return html`${pageTitle("Overview")}<div class="hr-overview">${part(
    "attention",
    card(
      "Needs a person now",
      html`${unreadNote(view)}${attention(view)}${coverageNote(view.coverage)}`,
      "attention",
    ),
  )}${part("fleets", card("Pre-caching", fleets(view), "fleets"))}</div>`;
}
