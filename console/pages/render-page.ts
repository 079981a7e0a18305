import { type Kind, kinds } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import { hostedView } from "../model/hosted-view.ts";
import { mirrorsView } from "../model/mirrors/mirrors-view.ts";
import { overviewView } from "../model/overview-view.ts";
import { precachingView } from "../model/precaching-view.ts";
import type { Query, Snapshot } from "../model/snapshot.ts";
import { windowsView } from "../model/windows-view.ts";
import { emptyState, pageTitle } from "./common.ts";
import { hostedPage } from "./hosted-page.ts";
import { type Html, html, type LivePage, livePage, type Part } from "./html.ts";
import { type PagePath, pageNames } from "./layout.ts";
import { mirrorsPage } from "./mirrors/mirrors-page.ts";
import { overviewPage } from "./overview-page.ts";
import { precachingPage } from "./precaching-page.ts";
import { windowsPage } from "./windows-page.ts";

const pages: Readonly<Record<PagePath, (snapshot: Snapshot, query: Query, part: Part) => Html>> = {
  "/": (snapshot, _, part) => overviewPage(overviewView(snapshot), part),
  "/precaching": (snapshot, query, part) =>
    precachingPage(precachingView(snapshot, query), snapshot.now, part),
  "/windows": (snapshot, query, part) => windowsPage(windowsView(snapshot, query), part),
  "/hosted": (snapshot, query, part) => hostedPage(hostedView(snapshot, query), part),
  "/mirrors": (snapshot, query, part) => mirrorsPage(mirrorsView(snapshot, query), part),
};

/** The kinds that a page depends on. While one is unread, the page would be wrong, and only names the unread kinds. */
const subjects: Readonly<Partial<Record<PagePath, readonly Kind[]>>> = {
  "/precaching": [kinds.ClusterGroupUpgrade],
  "/windows": [kinds.MaintenanceWindow],
  "/mirrors": mirrorRuleKinds,
  "/hosted": [kinds.HostedCluster],
};

function unreadPage(title: string, unread: readonly string[]): Html {
  return html`${pageTitle(title)}${emptyState(
    `Not read yet: ${unread.join(", ")}`,
    html`<p>Nothing is known of what this page shows: the console has not read it from the hub. If that stays, its account may not list and watch it; see the role hubrelay-console in infra/hub-rbac.</p>`,
  )}`;
}

/** Returns the page with this path; undefined if there is none. */
export function pageAt(path: string) {
  return pageNames.find((page) => page.path === path);
}

/** Renders the content of a page. */
export function renderPage(path: PagePath, query: Query, snapshot: Snapshot): LivePage {
  const unread = (subjects[path] ?? [])
    .map(({ kind }) => kind)
    .filter((kind) => snapshot.unread.includes(kind));
  return livePage((part) =>
    unread.length > 0 ? unreadPage(pageAt(path)?.title ?? "", unread) : pages[path](snapshot, query, part),
  );
}

/** Renders a page that only says why its content is not available. */
export function failedPage(title: string, problem: string): LivePage {
  return livePage(
    () =>
      html`${pageTitle(title)}${emptyState(
        "This page cannot be made",
        html`<p>${problem}</p><p>The other pages do not depend on it. An object on the hub that nothing expected may be the reason: report it with this text.</p>`,
      )}`,
  );
}
