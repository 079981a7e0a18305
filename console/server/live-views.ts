import { randomUUID } from "node:crypto";
import { type LivePage, type PageChange, pageChange, pageText } from "../pages/html.ts";

/** One state of a page. The id is that of the event that brings it. */
export type ViewState = Readonly<{ id: string; page: LivePage }>;

type View = {
  states: ViewState[];
  /** Of the hub, when the last state was rendered. */
  version: number;
  renderedAt: number;
  usedAt: number;
  viewers: number;
  rendering: Promise<ViewState> | undefined;
  changed: PromiseWithResolvers<void>;
};

/** States that a browser may still have when it connects again; to one with an older state the whole page is sent. */
const keptStates = 6;
const unusedMs = 30_000;
const mostViews = 200;
/** Pages depend on the time as well: windows open, deadlines come nearer. */
const againMs = 5_000;

/**
 * The pages that have viewers, by their addresses. One state of a page serves all its viewers: it is rendered once,
 * however many there are.
 */
export type LiveViews = Readonly<{
  /** Returns the present state of a page. */
  state(address: string): Promise<ViewState>;
  /**
   * Yields what a viewer with a state needs to see the next, until the signal aborts. A slow viewer skips states.
   */
  changes(
    address: string,
    seen: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Readonly<{ id: string; change: PageChange }>>;
  /** Renders again what has viewers and may have changed. */
  refresh(): Promise<void>;
}>;

/** Returns the views of pages that `render` makes; `version` increases when a page may change. */
export function liveViews(render: (address: string) => Promise<LivePage>, version: () => number): LiveViews {
  // Another process has other states under the same numbers.
  const epoch = randomUUID();
  const views = new Map<string, View>();
  let states = 0;

  function viewOf(address: string): View {
    const found = views.get(address);
    const view = found ?? {
      states: [],
      version: -1,
      renderedAt: 0,
      usedAt: 0,
      viewers: 0,
      rendering: undefined,
      changed: Promise.withResolvers<void>(),
    };
    view.usedAt = performance.now();
    views.delete(address);
    views.set(address, view);
    for (const [key, { viewers }] of views) {
      if (views.size <= mostViews) break;
      if (viewers === 0 && key !== address) views.delete(key);
    }
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

  function current(address: string, view: View): Promise<ViewState> {
    const last = view.states.at(-1);
    const isNew = view.version === version() && performance.now() - view.renderedAt < againMs;
    if (last && isNew) return Promise.resolve(last);
    view.rendering ??= renderView(address, view).finally(() => {
      view.rendering = undefined;
    });
    return view.rendering;
  }

  return {
    state: (address) => current(address, viewOf(address)),
    async *changes(address, seen, signal) {
      const view = viewOf(address);
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
      for (const [address, view] of views) {
        if (view.viewers > 0) {
          try {
            // One that has begun may have read what was before the last change.
            await view.rendering;
            await current(address, view);
          } catch {
            // A request for that page gets the error; the other pages continue.
          }
        } else if (performance.now() - view.usedAt > unusedMs) views.delete(address);
      }
    },
  };
}
