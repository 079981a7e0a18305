// Keeps an open page current: the server sends the changed parts of the page as events. Without this script every page
// is complete and every link and form works; the page is then as old as its age line says.
import { listenToKeys } from "./keyboard.ts";
import { localize, minuteMs, showTimes } from "./times.ts";

type Change = Readonly<{ parts?: Readonly<Record<string, string>>; page?: string }>;

const main = document.getElementById("main") as HTMLElement;

/** Runs a change of the page, and then restores the focus: an element loses the focus when it is replaced. */
function keepingFocus(change: () => void, within: Element): void {
  const focused = document.activeElement;
  if (!focused || !within.contains(focused)) {
    change();
    return;
  }
  const id = focused.id || focused.closest("[id]")?.id;
  const isLink = focused instanceof HTMLAnchorElement;
  const selection =
    focused instanceof HTMLInputElement ? [focused.selectionStart, focused.selectionEnd, focused.value] : [];
  change();
  if (!id || focused.isConnected) return;
  const again = document.getElementById(id);
  const target = isLink && !(again instanceof HTMLAnchorElement) ? again?.querySelector("a") : again;
  target?.focus({ preventScroll: true });
  if (target instanceof HTMLInputElement) {
    target.value = String(selection[2]);
    target.setSelectionRange(Number(selection[0]), Number(selection[1]));
  }
}

function keepingView(change: () => void, within: Element = main): void {
  const open = [...within.querySelectorAll("details[open][id]")].map(({ id }) => id);
  keepingFocus(change, within);
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
}

function elementOf(text: string): Element | null {
  const holder = document.createElement("template");
  holder.innerHTML = text;
  return holder.content.firstElementChild;
}

function showPage(page: string): void {
  keepingView(() => {
    main.innerHTML = page;
    localize(main);
  });
}

function showPart(id: string, text: string): void {
  const next = elementOf(text);
  if (!next) return;
  localize(next);
  const present = document.getElementById(id);
  if (present) keepingView(() => present.replaceWith(next), present);
}

/** Changed parts by element id. Only some are shown at once, so that the browser does not block. */
const waiting = new Map<string, string>();
let nextState = "";
const sliceMs = 12;
let isShowing = false;

function showWaiting(): void {
  const until = performance.now() + sliceMs;
  for (const [id, text] of waiting) {
    waiting.delete(id);
    showPart(id, text);
    if (performance.now() > until) break;
  }
  isShowing = waiting.size > 0;
  if (isShowing) requestAnimationFrame(() => setTimeout(showWaiting));
  else main.dataset.state = nextState;
}

function apply({ parts = {}, page }: Change, state: string): void {
  nextState = state;
  if (page !== undefined) {
    waiting.clear();
    showPage(page);
    main.dataset.state = state;
    return;
  }
  for (const [id, text] of Object.entries(parts)) waiting.set(id, text);
  if (!isShowing) showWaiting();
}

let events: EventSource | undefined;
let ageAt = performance.now();
let ageMs: number | undefined;

function readAge(): void {
  const age = document.getElementById("age")?.dataset.age;
  ageMs = age ? Number(age) : undefined;
  ageAt = performance.now();
}

function showAge(): void {
  const age = document.getElementById("age");
  if (!age || ageMs === undefined) return;
  age.textContent = `as of ${Math.round((ageMs + performance.now() - ageAt) / 1000)} s ago`;
}

function connection(isLost: boolean): void {
  const sign = document.getElementById("connection");
  if (sign) sign.hidden = !isLost;
}

let shown = "";

function follow(): void {
  events?.close();
  const page = location.pathname + location.search;
  shown = page;
  // An error page has no state, and the server sends no changes of it.
  if (main.dataset.state === "") return;
  const query = new URLSearchParams({ page, state: main.dataset.state ?? "" });
  const opened = new EventSource(`/events?${query}`);
  events = opened;
  opened.addEventListener("change", ({ data, lastEventId }) => {
    apply(JSON.parse(data), lastEventId);
  });
  opened.addEventListener("freshness", ({ data }) => {
    const next = elementOf(data);
    if (next) document.getElementById("freshness")?.replaceWith(next);
    readAge();
    connection(false);
  });
  opened.addEventListener("error", () => {
    connection(true);
    // After an error of a proxy, a browser does not connect again by itself.
    if (opened.readyState === EventSource.CLOSED && events === opened) setTimeout(follow, 3_000);
  });
}

let latest = 0;

/** Shows another address of this page without loading it again, so that the scroll position stays. */
async function show(address: string, isNew: boolean): Promise<void> {
  const number = ++latest;
  const response = await fetch(address, { headers: { "hubrelay-part": "main" } });
  if (number !== latest) return;
  if (!response.ok) {
    location.assign(address);
    return;
  }
  const page = await response.text();
  if (number !== latest) return;
  if (isNew) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  apply({ page }, response.headers.get("hubrelay-state") ?? "");
  follow();
}

function revealPanel(): void {
  const panel = document.getElementById("panel");
  if (panel && panel.getBoundingClientRect().top > innerHeight - 100) panel.scrollIntoView();
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest<HTMLAnchorElement>("a[data-swap]");
  // The browser itself follows links to other pages.
  if (link && new URL(link.href).pathname === location.pathname) {
    event.preventDefault();
    show(link.href, true).then(revealPanel, () => connection(true));
    return;
  }
  const copying = event.target.closest<HTMLElement>("[data-copy]");
  if (copying) {
    const label = copying.firstElementChild ?? copying;
    navigator.clipboard.writeText(copying.dataset.copy ?? "").then(
      () => {
        label.textContent = "Copied";
      },
      () => {
        label.textContent = "Select the text to copy it";
      },
    );
  }
});

addEventListener("popstate", () => {
  // A jump within the page changes neither the path nor the query of its address.
  const address = location.pathname + location.search;
  if (address !== shown) show(address, false).catch(() => connection(true));
});
// A page from the browser's cache has lost its event stream.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) follow();
});
addEventListener("pagehide", () => events?.close());

listenToKeys();
localize(document);
const zone = document.getElementById("zone");
if (zone && new Date().getTimezoneOffset() !== 0)
  zone.textContent = `Times in ${Intl.DateTimeFormat().resolvedOptions().timeZone}; UTC on hover`;
readAge();
setInterval(showAge, 1_000);
setInterval(() => showTimes(document), minuteMs / 4);
follow();
