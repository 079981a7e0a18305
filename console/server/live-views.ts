import { randomUUID } from "node:crypto";
import { type LivePage, type PageChange, pageChange, pageText } from "../pages/html.ts";

/** A state of a page. `id` is the id of the event that sends this state. */
export type ViewState = Readonly<{ id: string; page: LivePage }>;

type View = {
  states: ViewState[];
  version: number;
  renderedAt: number;
  usedAt: number;
  viewers: number;
  rendering: Promise<ViewState> | undefined;
  changed: PromiseWithResolvers<void>;
};

/** A browser that reconnects with one of the kept states gets only the changed parts. */
const keptStates = 6;
const unusedMs = 30_000;
/** Unchanged pages are also rendered at this interval, since pages change with the time. */
const againMs = 5_000;

export type ViewLimits = Readonly<{
  /** Maximum number of pages that are kept with their last states. */
  views: number;
  /**
   * Maximum number of pages rendered in a second for requests, so that requests for ever new addresses cannot use up a
   * CPU. Refreshes of open pages have the same maximum, counted separately.
   */
  rendersPerSecond: number;
}>;

/** The default limits. 20 pages a second are enough to refresh 100 pages within `againMs`. */
const defaultLimits: ViewLimits = { views: 100, rendersPerSecond: 20 };

/** The error for a request that exceeds the limits of the console. The same request may succeed a second later. */
export class BusyError extends Error {
  override readonly name = "BusyError";
}

/** The rendered pages, by address. Each state of a page is rendered once for all of its viewers. */
export type LiveViews = Readonly<{
  /**
   * Returns a page's state. If too many pages are rendered now, returns the last state or, if there is none, throws
   * `BusyError`. With `isFollowed`, also throws `BusyError` for a new page if all views have viewers.
   */
  state(address: string, isFollowed?: boolean): Promise<ViewState>;
  /** Yields the changes of a page after the state `seen`, until the signal aborts. A slow viewer misses some states. */
  changes(
    address: string,
    seen: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Readonly<{ id: string; change: PageChange }>>;
  refresh(): Promise<void>;
}>;

function rateLimit(perSecond: number): () => boolean {
  let second = Number.NEGATIVE_INFINITY;
  let uses = 0;
  return () => {
    if (performance.now() - second >= 1_000) {
      second = performance.now();
      uses = 0;
    }
    return ++uses <= perSecond;
  };
}

const newView = (): View => ({
  states: [],
  version: -1,
  renderedAt: 0,
  usedAt: 0,
  viewers: 0,
  rendering: undefined,
  changed: Promise.withResolvers<void>(),
});

/** Returns the pages that `render` creates. `version` must increase when pages may have changed. */
export function liveViews(
  render: (address: string) => Promise<LivePage>,
  version: () => number,
  limits = defaultLimits,
): LiveViews {
  // The epoch makes the ids of states unique: another process may have states with the same numbers.
  const epoch = randomUUID();
  const views = new Map<string, View>();
  const mayRender = rateLimit(limits.rendersPerSecond);
  const mayRefresh = rateLimit(limits.rendersPerSecond);
  let states = 0;

  function hasRoom(): boolean {
    for (const [address, { viewers }] of views) {
      if (views.size < limits.views) break;
      if (viewers === 0) views.delete(address);
    }
    return views.size < limits.views;
  }

  /** Returns the view of a page, and keeps it if there is room. With `isFollowed`, throws `BusyError` without room. */
  function viewOf(address: string, isFollowed: boolean): View {
    const found = views.get(address);
    const view = found ?? newView();
    view.usedAt = performance.now();
    if (found || hasRoom()) {
      views.delete(address);
      views.set(address, view);
    } else if (isFollowed) throw new BusyError("too many views");
    return view;
  }

  async function renderView(address: string, view: View): Promise<ViewState> {
    const rendered = version();
    const page = await render(address);
    view.version = rendered;
    view.renderedAt = performance.now();
    const before = view.states.at(-1);
    if (before && pageChange(before.page, page) === undefined) return before;
    const state = { id: `${epoch}-${++states}`, page };
    view.states = [...view.states, state].slice(-keptStates);
    view.changed.resolve();
    view.changed = Promise.withResolvers();
    return state;
  }

  async function current(address: string, view: View, mayStart = mayRender): Promise<ViewState> {
    const last = view.states.at(-1);
    const isNew = view.version === version() && performance.now() - view.renderedAt < againMs;
    if (last && isNew) return last;
    if (!view.rendering && !mayStart()) {
      if (last) return last;
      throw new BusyError("too many pages are rendered");
    }
    view.rendering ??= renderView(address, view).finally(() => {
      view.rendering = undefined;
    });
    return view.rendering;
  }

  return {
    state: async (address, isFollowed = false) => current(address, viewOf(address, isFollowed)),
    async *changes(address, seen, signal) {
      const view = viewOf(address, true);
      view.viewers++;
      const aborted = new Promise<void>((done) =>
        signal.addEventListener("abort", () => done(), { once: true }),
      );
      try {
        let state = await current(address, view);
        const known = view.states.find(({ id }) => id === seen);
        const first = known ? pageChange(known.page, state.page) : { page: pageText(state.page) };
        if (first) yield { id: state.id, change: first };
        while (!signal.aborted) {
          const next = view.states.at(-1);
          if (!next || next === state) {
            await Promise.race([view.changed.promise, aborted]);
            continue;
          }
          const change = pageChange(state.page, next.page);
          state = next;
          if (change) yield { id: next.id, change };
        }
      } finally {
        view.viewers--;
        view.usedAt = performance.now();
      }
    },
    async refresh() {
      // The rate limit may not allow all pages now, so the oldest page comes first.
      for (const [address, view] of [...views].toSorted(([, a], [, b]) => a.renderedAt - b.renderedAt)) {
        if (view.viewers > 0) {
          try {
            // A rendering in progress may have read the hub before the last change, so its result is not enough.
            await view.rendering;
            await current(address, view, mayRefresh);
          } catch {
            // The other pages must continue. A request for this page receives the error.
          }
        } else if (performance.now() - view.usedAt > unusedMs) views.delete(address);
      }
    },
  };
}
