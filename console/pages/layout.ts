import type { Parameter } from "../model/snapshot.ts";
import { type Html, html } from "./html.ts";

/** The pages, in the order of the navigation. */
export const pageNames = [
  { path: "/", title: "Overview", parameters: [] },
  {
    path: "/precaching",
    title: "Pre-caching",
    parameters: ["upgrade", "state", "site", "reason", "by", "cluster"],
  },
  { path: "/windows", title: "Windows", parameters: ["window"] },
  { path: "/mirrors", title: "Mirrors", parameters: ["image", "namespace", "without", "source", "pool"] },
  { path: "/hosted", title: "Hosted clusters", parameters: ["state", "cluster"] },
] as const satisfies readonly Readonly<{ path: string; title: string; parameters: readonly Parameter[] }>[];
export type PagePath = (typeof pageNames)[number]["path"];

/** The addresses of the files that a page loads. An address changes when the content of the file changes. */
export type AssetPaths = Readonly<{ style: string; script: string; theme: string }>;

/** How old the data of a page is. */
export type Freshness = Readonly<{
  hub: string;
  /** Milliseconds since the last response of the hub; undefined before the first response. */
  ageMs: number | undefined;
  /** Why the hub cannot be read, or which kinds are not read yet; undefined if there is no problem. */
  problem: string | undefined;
}>;

/** Renders how old the data is. The script of the page takes the age from `data-age`, and updates it every second. */
export function freshnessLine({ hub, ageMs, problem }: Freshness): Html {
  const age = ageMs === undefined ? "not read yet" : `as of ${Math.round(ageMs / 1000)} s ago`;
  const lost =
    problem !== undefined &&
    html`<div class="pf-v6-c-alert pf-m-danger pf-m-inline hr-lost" role="alert"><p class="pf-v6-c-alert__title"><span aria-hidden="true">⚠</span> ${problem}</p></div>`;
  return html`<div id="freshness"><p class="hr-age">Hub ${hub}, <span id="age" data-age="${ageMs === undefined ? "" : Math.round(ageMs)}">${age}</span></p>${lost}</div>`;
}

/** Renders the document around the content of a page. The content is in the element `main`. */
export function documentText(
  {
    path,
    title,
    assets,
    state,
    hubLine,
  }: Readonly<{
    path: PagePath;
    title: string;
    assets: AssetPaths;
    state: string;
    hubLine: Html;
  }>,
  main: string,
): string {
  const links = pageNames.map(
    (one) =>
      html`<li class="pf-v6-c-nav__item"><a class="pf-v6-c-nav__link${one.path === path && " pf-m-current"}" href="${one.path}"${one.path === path && html` aria-current="page"`}>${one.title}</a></li>`,
  );
  const before = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title} · hubrelay</title><link rel="stylesheet" href="${assets.style}"><script src="${assets.theme}"></script><script src="${assets.script}" type="module"></script></head>
<body><div class="pf-v6-c-skip-to-content"><a class="pf-v6-c-button pf-m-primary" href="#main">Skip to content</a></div>
<header class="hr-header"><a class="hr-brand" href="/">hubrelay</a><button type="button" class="hr-menu pf-v6-c-button pf-m-secondary" popovertarget="pages"><span class="pf-v6-c-button__text"><span aria-hidden="true">☰</span> ${title}</span></button><nav id="pages" class="hr-pages pf-v6-c-nav pf-m-horizontal" aria-label="Pages" popover><ul class="pf-v6-c-nav__list">${links}</ul></nav></header>
<section class="hr-status" aria-label="How current the page is">${hubLine}<p id="zone" class="hr-quiet">Times in UTC</p><p id="connection" class="hr-lost" role="alert" hidden>⚠ The console does not respond: what is shown is old.</p></section>
<main id="main" tabindex="-1" class="hr-main" data-state="${state}">`;
  return `${before}${main}</main></body></html>`;
}
