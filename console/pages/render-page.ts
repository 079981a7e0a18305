import { activityView } from "../model/activity-view.ts";
import { hostedView } from "../model/hosted-view.ts";
import { mirrorsView } from "../model/mirrors-view.ts";
import { overviewView } from "../model/overview-view.ts";
import { precachingView } from "../model/precaching-view.ts";
import { readyView } from "../model/ready-view.ts";
import { searchView } from "../model/search-view.ts";
import type { Query, Snapshot } from "../model/snapshot.ts";
import { windowsView } from "../model/windows-view.ts";
import { activityPage } from "./activity-page.ts";
import { hostedPage } from "./hosted-page.ts";
import type { Html } from "./html.ts";
import { type LivePage, livePage, type Part } from "./html.ts";
import { type PagePath, pageNames } from "./layout.ts";
import { mirrorsPage } from "./mirrors-page.ts";
import { overviewPage } from "./overview-page.ts";
import { precachingPage } from "./precaching-page.ts";
import { readyPage } from "./ready-page.ts";
import { searchPage } from "./search-page.ts";
import { windowsPage } from "./windows-page.ts";

const pages: Readonly<Record<PagePath, (snapshot: Snapshot, query: Query, part: Part) => Html>> = {
  "/": (snapshot, _, part) => overviewPage(overviewView(snapshot), snapshot.now, part),
  "/precaching": (snapshot, query, part) =>
    precachingPage(precachingView(snapshot, query), snapshot.now, part),
  "/ready": (snapshot, query, part) => readyPage(readyView(snapshot, query), part),
  "/windows": (snapshot, query, part) => windowsPage(windowsView(snapshot, query), part),
  "/search": (snapshot, query, part) => searchPage(searchView(snapshot, query), part),
  "/activity": (snapshot, query, part) => activityPage(activityView(snapshot, query), part),
  "/hosted": (snapshot, query, part) => hostedPage(hostedView(snapshot, query), part),
  "/mirrors": (snapshot, query, part) => mirrorsPage(mirrorsView(snapshot, query), part),
};

/** Returns the page with this path. */
export function pageAt(path: string) {
  return pageNames.find((page) => page.path === path);
}

/** Renders the content of a page from a snapshot. */
export function renderPage(path: PagePath, query: Query, snapshot: Snapshot): LivePage {
  return livePage((part) => pages[path](snapshot, query, part));
}
