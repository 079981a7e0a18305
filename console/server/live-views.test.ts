import { describe, expect, test } from "vitest";
import { html, livePage } from "../pages/html.ts";
import { BusyError, liveViews } from "./live-views.ts";

test("When one page can no longer be rendered, the others should still follow the hub", async () => {
  let version = 1;
  const stop = new AbortController();
  const views = liveViews(
    async (address) => {
      if (address === "/broken" && version > 1) throw new Error("it cannot be rendered");
      return livePage((part) => html`${part("state", html`<p>version ${version}</p>`)}`);
    },
    () => version,
  );
  const viewers = ["/broken", "/whole"].map((address) => views.changes(address, undefined, stop.signal));
  for (const viewer of viewers) await viewer.next();
  const next = viewers[1]?.next();
  version = 2;
  await views.refresh();
  expect(JSON.stringify((await next)?.value)).toContain("version 2");
  stop.abort();
});

describe("limits", () => {
  /** Views of a page that shows the version, of which `setVersion` sets the next. */
  function views(limits: Parameters<typeof liveViews>[2]) {
    let version = 1;
    const rendered: string[] = [];
    const render = async (address: string) => {
      rendered.push(address);
      return livePage((part) => html`${part("state", html`<p>version ${version}</p>`)}`);
    };
    const setVersion = (next: number) => {
      version = next;
    };
    return { ...liveViews(render, () => version, limits), rendered, setVersion };
  }

  test("When all views have viewers, another page should be shown, and followed once a viewer leaves", async () => {
    const { state, changes } = views({ views: 2, rendersPerSecond: 100 });
    const stop = new AbortController();
    const first = changes("/a", undefined, stop.signal);
    for (const viewer of [first, changes("/b", undefined, stop.signal)]) await viewer.next();
    await expect(state("/c", true)).rejects.toThrow(BusyError);
    for (const address of ["/a", "/c"]) expect(await state(address)).toHaveProperty("id");
    await first.return(undefined);
    expect(await state("/c", true)).toHaveProperty("id");
    stop.abort();
  });

  test("When refreshing takes all that it may, another page should still be rendered", async () => {
    const { state, changes, refresh, rendered, setVersion } = views({ views: 3, rendersPerSecond: 2 });
    const stop = new AbortController();
    const viewer = changes("/a", undefined, stop.signal);
    await viewer.next();
    for (const version of [2, 3, 4]) {
      setVersion(version);
      await refresh();
    }
    expect(await state("/c")).toHaveProperty("id");
    expect(rendered).toEqual(["/a", "/a", "/a", "/c"]);
    stop.abort();
  });

  test("When too many pages are rendered in a second, a new one should be refused, and a known one be its last", async () => {
    const { state, rendered, setVersion } = views({ views: 100, rendersPerSecond: 2 });
    const known = await state("/a");
    await state("/b");
    setVersion(2);
    await expect(state("/c")).rejects.toThrow(BusyError);
    expect(await state("/a")).toBe(known);
    expect(rendered).toEqual(["/a", "/b"]);
  });
});
