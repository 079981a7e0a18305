import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type MemoryHub, memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import { countOf, requestCounter } from "../../cli/simulation/counted-hub.ts";
import { aFleet, type FleetRecords } from "../../test/support/console/console-snapshots.ts";
import { type ConsoleAppOptions, consoleApp } from "./app.ts";
import type { Assets } from "./assets.ts";
import { consoleWatches, watchHub } from "./watched-hub.ts";

const assets: Assets = {
  paths: { style: "/assets/1-console.css", script: "/assets/1-console.js", theme: "/assets/1-theme.js" },
  byPath: new Map([
    ["/assets/1-console.css", { type: "text/css", content: new TextEncoder().encode("a{}") }],
  ]),
};
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function aHub(): MemoryHub {
  const hub = memoryHub({ id: "urn:test", now: () => new Date() });
  for (const object of aFleet({ sno1: {}, sno2: { state: "UnrecoverableError", reason: "PullFailed" } }))
    hub.put(object);
  return hub;
}

/** Starts a console of a hub, which refreshes its pages when the test says so. */
function aConsole(
  hub: Pick<Hub, "id" | "get" | "watch"> = aHub(),
  hostNames: readonly string[] = [],
  limits: Partial<Pick<ConsoleAppOptions, "maxStreams" | "maxStreamsOfViewer">> = {},
) {
  const stop = new AbortController();
  const watched = watchHub(hub, stop.signal);
  stops.push(async () => {
    stop.abort();
    await watched.ended;
  });
  const { app, views } = consoleApp({
    hub: watched,
    assets: async () => assets,
    hostNames,
    signal: stop.signal,
    ...limits,
  });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    app.request(path, { method, headers: { host: "localhost:8320", ...headers } });
  return { get, views, watched };
}

/** Changes the fleet, and waits until the console has seen all of it. */
async function change(hub: MemoryHub, { watched }: ReturnType<typeof aConsole>, records: FleetRecords) {
  const seen = watched.version();
  const changed = aFleet(records).filter((object) => {
    const { kind, metadata } = object;
    const { [kind as "ClusterGroupUpgrade"]: of } = kinds;
    const before = hub.find(of, metadata.name, metadata.namespace)?.metadata.resourceVersion;
    return hub.put(object).metadata.resourceVersion !== before;
  });
  await expect.poll(() => watched.version()).toBe(seen + changed.length);
}

type Sent = Readonly<{ event: string; id: string; data: string }>;

/** What a page became: the whole, where one was sent, and the parts that were sent since then. */
type Shown = Readonly<{ page?: string; parts: Readonly<Record<string, string>> }>;

/**
 * Follows a page as a browser does. `next` resolves with the next event of this kind; `until` follows the changes until
 * they show a text: the page may be rendered while only some of the objects have changed.
 */
async function viewer(get: ReturnType<typeof aConsole>["get"], page: string, state = "") {
  const stream = (await get(`/events?${new URLSearchParams({ page, state })}`)).body;
  if (!stream) throw new Error("no stream");
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  onTestFinished(() => reader.cancel());
  let text = "";
  const next = async (wanted: string): Promise<Sent> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end < 0) {
        const { value, done } = await reader.read();
        if (done) throw new Error("the stream has ended");
        text += value;
        continue;
      }
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string) =>
        lines
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join("\n");
      if (field("event") === wanted) return { event: wanted, id: field("id"), data: field("data") };
    }
  };
  const until = async (wanted: string): Promise<Shown> => {
    let shown: Shown = { parts: {} };
    while (!JSON.stringify(shown).includes(wanted)) {
      const change: Partial<Shown> = JSON.parse((await next("change")).data);
      shown =
        change.page === undefined
          ? { ...shown, parts: { ...shown.parts, ...change.parts } }
          : { page: change.page, parts: {} };
    }
    return shown;
  };
  return { next, until };
}

describe("a response", () => {
  test("When a page is requested, its headers should forbid all that is not the console's own", async () => {
    const response = await aConsole().get("/precaching");
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain("default/upgrade");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|data:|\*|http/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
    });
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
  });

  test.for([
    { host: "localhost:1", status: 200 },
    { host: "127.0.0.1:8320", status: 200 },
    { host: "[::1]:8320", status: 200 },
    { host: "Console.Example.com", status: 200 },
    { host: "evil.example", status: 421 },
    { host: "localhost.evil.example:8320", status: 421 },
    { host: "127.0.0.1.nip.io", status: 421 },
    { host: "", status: 421 },
  ])("When the Host header is $host, the status should be $status", async ({ host, status }) => {
    const response = await aConsole(aHub(), ["console.example.com"]).get("/", { host });
    expect(response.status).toBe(status);
    if (status !== 200) expect(await response.text()).not.toContain("upgrade");
  });

  test.for(["POST", "PUT", "DELETE", "OPTIONS"])("When it is %s, it should be refused", async (method) => {
    expect((await aConsole().get("/", {}, method)).status).toBe(405);
  });

  test.for([
    { name: "/nothing" },
    { name: "/events" },
    { name: "/events?page=//evil.example/" },
    { name: "/events?page=http://evil.example/" },
    { name: "/assets/2-x.js" },
    { name: "an address so long", path: `/?${"a".repeat(5000)}` },
  ])("When there is no $name, it should be 404", async ({ name, path = name }) => {
    expect((await aConsole().get(path)).status).toBe(404);
  });

  test.for([
    { address: "/?x=1", same: "/" },
    { address: "/precaching?x=1&state=failed", same: "/precaching?state=failed" },
    { address: "/precaching?site=a&state=failed", same: "/precaching?state=failed&site=a" },
    { address: "/precaching?state=failed&state=done", same: "/precaching?state=failed" },
    { address: "/hosted?state=&window=w", same: "/hosted" },
  ])("When the address is $address, it should be the view of $same", async ({ address, same }) => {
    const { get } = aConsole();
    const stateOf = async (path: string) => (await get(path)).headers.get("hubrelay-state");
    expect(await stateOf(address)).toBe(await stateOf(same));
  });

  test("When an asset is requested, a browser should keep it for good", async () => {
    const response = await aConsole().get("/assets/1-console.css");
    expect(await response.text()).toBe("a{}");
    expect(response.headers.get("cache-control")).toContain("immutable");
  });
});

describe("the viewers of a page", () => {
  test("When 50 look at a changing fleet, the hub should have as many requests as without any", async () => {
    const hub = aHub();
    const { as, requests } = requestCounter(hub);
    const running = aConsole(as("console"));
    const { get, views } = running;
    const state = (await get("/precaching")).headers.get("hubrelay-state") ?? "";
    const before = countOf(requests);
    expect(countOf(requests, "watch")).toBe(consoleWatches.length);
    const viewers = await Promise.all(Array.from({ length: 50 }, () => viewer(get, "/precaching", state)));
    await change(hub, running, { sno1: { state: "Succeeded" }, sno2: { state: "Starting" } });
    await views.refresh();
    for (const { page, parts } of await Promise.all(viewers.map(({ until }) => until("sno2: pulling")))) {
      expect(page).toBeUndefined();
      // Others may have changed and changed back, when the page was rendered in between.
      expect(Object.keys(parts)).toEqual(expect.arrayContaining(["c0-0", "c0-1", "reasons", "summary"]));
      expect(parts["c0-0"]).toContain("sno1: done");
    }
    expect(countOf(requests)).toBe(before);
  });

  test("When a browser connects again with the state that it has, it should get only what changed since", async () => {
    const hub = aHub();
    const running = aConsole(hub);
    const { get, views } = running;
    const state = (await get("/precaching")).headers.get("hubrelay-state") ?? "";
    await change(hub, running, { sno1: { state: "Succeeded" }, sno2: { state: "UnrecoverableError" } });
    await views.refresh();
    const shown = await (await viewer(get, "/precaching", state)).until("sno1: done");
    expect(shown.page).toBeUndefined();
    const unknown = await (await viewer(get, "/precaching", "another-process")).next("change");
    expect(JSON.parse(unknown.data).page).toContain("<h1");
  });

  test("When a cluster joins, the whole page should be sent", async () => {
    const hub = aHub();
    const running = aConsole(hub);
    const { get, views } = running;
    const state = (await get("/precaching")).headers.get("hubrelay-state") ?? "";
    const { until } = await viewer(get, "/precaching", state);
    await change(hub, running, { sno1: {}, sno2: {}, sno3: {} });
    await views.refresh();
    expect((await until("sno3: ")).page).toContain("sno3: ");
  });
});

describe("too many streams", () => {
  test("When one more is opened, it should be 503 until another one ends", async () => {
    const { get } = aConsole(aHub(), [], { maxStreams: 1 });
    const open = () => get("/events?page=/");
    const first = await open();
    const refused = await open();
    expect({ status: refused.status, again: refused.headers.get("retry-after") }).toEqual({
      status: 503,
      again: "1",
    });
    await first.body?.cancel();
    await expect.poll(async () => (await open()).status).toBe(200);
  });
});

test("When one viewer has as many streams as a viewer may have, others should still get theirs", async () => {
  const { get } = aConsole(aHub(), [], { maxStreamsOfViewer: 1 });
  const open = (user: string) => get("/events?page=/", { "x-forwarded-user": user });
  const statuses = [await open("jo"), await open("jo"), await open("kim")].map(({ status }) => status);
  expect(statuses).toEqual([200, 503, 200]);
});

describe("a hub that is lost", () => {
  test("When it no longer responds, the page should say so and still show what was read, until it responds", async () => {
    let isLost = false;
    const hub = aHub();
    const get: Hub["get"] = async (...of) => {
      if (isLost) throw new HubError("Unavailable", "get ClusterVersion/version: connect ECONNREFUSED");
      return hub.get(...of);
    };
    const { get: request, watched } = aConsole({ ...hub, get });
    const page = async () => (await request("/precaching")).text();
    expect(await page()).not.toContain('<div class="pf-v6-c-alert pf-m-danger');
    isLost = true;
    await watched.ask();
    expect(await page()).toMatch(/The hub cannot be reached: .*ECONNREFUSED/);
    expect(await page()).toContain("sno2: failed");
    isLost = false;
    await watched.ask();
    expect(await page()).not.toContain("cannot be reached");
  });

  test("When a page cannot be made, it should say why and lead to the others, until it can", async () => {
    const { get, watched } = aConsole();
    vi.spyOn(watched, "snapshot").mockRejectedValueOnce(new Error("an object nobody expected"));
    const failed = await get("/windows");
    expect(failed.status).toBe(500);
    expect(await failed.text()).toMatch(
      /href="\/hosted".*This page cannot be made.*an object nobody expected/s,
    );
    expect((await get("/windows")).status).toBe(200);
  });

  test("When a kind cannot be read, the page should name it", async () => {
    const hub = aHub();
    const watch: Hub["watch"] = (of, signal, options) =>
      of === kinds.ManagedCluster
        ? (async function* () {
            await new Promise((done) => signal.addEventListener("abort", done));
          })()
        : hub.watch(of, signal, options);
    const { watched } = aConsole({ ...hub, watch });
    await expect.poll(() => watched.contact().problem).toBe("Not read yet: ManagedCluster");
  });
});
