import { expect, test } from "vitest";
import { html, livePage } from "../pages/html.ts";
import { liveViews } from "./live-views.ts";

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
