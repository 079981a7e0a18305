import { gzipSync } from "node:zlib";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import { secureHeaders } from "hono/secure-headers";
import { streamSSE } from "hono/streaming";
import { hostName, loopbackHosts } from "#shared/adapters/network/host-header.ts";
import { fieldsOf, textOf } from "#shared/domain/kubernetes/json/values.ts";
import { messageOf } from "#shared/domain/text/error-text.ts";
import { address as addressOf, type Parameter, type Query } from "../model/snapshot.ts";
import { pageText } from "../pages/html.ts";
import { documentText, type Freshness, freshnessLine } from "../pages/layout.ts";
import { failedPage, pageAt, renderPage } from "../pages/render-page.ts";
import type { Assets } from "./assets.ts";
import { keptForecasts } from "./kept-forecasts.ts";
import { BusyError, type LiveViews, liveViews } from "./live-views.ts";
import type { WatchedHub } from "./watched-hub.ts";

/** Prevents DNS rebinding: an attacker's host name that resolves to this machine is refused. */
function allowHosts(names: readonly string[]): MiddlewareHandler {
  const allowed = new Set([...loopbackHosts, ...names.map((name) => name.toLowerCase())]);
  return async (context, next) => {
    const host = context.req.header("host");
    if (host !== undefined && allowed.has(hostName(host))) return next();
    return context.text("This console is not served under that host name. See --host-name.\n", 421);
  };
}

export type ConsoleAppOptions = Readonly<{
  hub: WatchedHub;
  /** Returns the files that pages load. It is called for each request of a page or file. */
  assets: () => Promise<Assets>;
  /** Host names of the console, besides the loopback names. */
  hostNames: readonly string[];
  signal: AbortSignal;
  /** Maximum number of open streams. Each stream takes memory and a timer. */
  maxStreams?: number;
  maxStreamsOfViewer?: number;
}>;

const maxAddressLength = 4_096;

const freshnessMs = 5_000;

/** Browsers load nothing from other hosts, and use no inline scripts and styles. */
const contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  scriptSrc: ["'self'"],
  connectSrc: ["'self'"],
  imgSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

function queryOf(given: URLSearchParams, parameters: readonly Parameter[]): Query {
  return Object.fromEntries(parameters.map((name) => [name, given.get(name) ?? undefined]));
}

/** Addresses with the same content get the same normalized `address`, so that they share a view. */
function parseAddress(address: string) {
  if (!address.startsWith("/") || address.length > maxAddressLength) return undefined;
  const url = URL.parse(address, "http://console");
  const page = url?.host === "console" ? pageAt(url.pathname) : undefined;
  if (!url || !page) return undefined;
  const query = queryOf(url.searchParams, page.parameters);
  return { page, query, address: addressOf(page.path, query) };
}

type Address = NonNullable<ReturnType<typeof parseAddress>>;

const acceptsGzip = (context: Context) => /\bgzip\b/.test(context.req.header("accept-encoding") ?? "");

/** Compresses the text as a whole, which is faster than a stream. */
function sendPage(context: Context, text: string, headers: Readonly<Record<string, string>>): Response {
  const vary = `${headers.vary}, accept-encoding`;
  if (!acceptsGzip(context)) return context.body(text, { headers: { ...headers, vary } });
  const compressed = new Uint8Array(gzipSync(text, { level: 4 }));
  return context.body(compressed, { headers: { ...headers, vary, "content-encoding": "gzip" } });
}

function sendAsset(context: Context, { byPath }: Assets): Response | Promise<Response> {
  const asset = byPath.get(context.req.path);
  if (!asset) return context.notFound();
  const { type, content, gzipped } = asset;
  const isGzip = gzipped !== undefined && acceptsGzip(context);
  return context.body(isGzip ? gzipped : content, 200, {
    "content-type": type,
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
    ...(isGzip ? { "content-encoding": "gzip" } : {}),
  });
}

const sendError = (error: Error, context: Context): Response =>
  error instanceof BusyError
    ? context.text("The console serves too many viewers or pages at once. Fix: try again.\n", 503, {
        "retry-after": "1",
      })
    : context.text("internal error\n", 500);

/** Returns a name that distinguishes viewers: the user name from the OAuth proxy or, without one, the IP address. */
function viewerOf({ req, env }: Context): string {
  const { incoming } = fieldsOf(env);
  const address = textOf(fieldsOf(fieldsOf(incoming).socket).remoteAddress);
  return req.header("x-forwarded-user") ?? address ?? "";
}

/** Returns the application and its views. The caller must refresh the views regularly. */
export function consoleApp({
  hub,
  assets,
  hostNames,
  signal,
  maxStreams = 1_000,
  maxStreamsOfViewer = 100,
}: ConsoleAppOptions): Readonly<{ app: Hono; views: LiveViews }> {
  const forecasts = keptForecasts();
  const views = liveViews(async (address) => {
    const found = parseAddress(address);
    if (!found) throw new Error(`no page: ${address}`);
    const { forecastOf } = forecasts;
    return renderPage(found.page.path, found.query, { ...(await hub.snapshot()), forecastOf });
  }, hub.version);
  function freshness(): Freshness {
    const { ageMs, problem } = hub.contact();
    const unmade = forecasts.problem();
    const missing = unmade === undefined ? undefined : `No forecast, pages show the rest: ${unmade}`;
    return { hub: hub.id, ageMs, problem: problem ?? missing };
  }
  const streams: string[] = [];

  const app = new Hono();
  app.use(
    secureHeaders({
      contentSecurityPolicy,
      strictTransportSecurity: false,
      referrerPolicy: "no-referrer",
      xFrameOptions: "DENY",
    }),
  );
  app.use(allowHosts(hostNames));
  app.use(async (context, next) => {
    if (context.req.method === "GET" || context.req.method === "HEAD") return next();
    return context.text("The console only reads.\n", 405, { allow: "GET, HEAD" });
  });
  app.use(compress());

  app.get("/healthz", (context) => context.text("ok\n"));
  app.get("/favicon.ico", (context) => context.body(null, 204));
  app.get("/assets/:name", async (context) => sendAsset(context, await assets()));

  app.get("/events", async (context) => {
    const found = parseAddress(context.req.query("page") ?? "");
    if (!found) return context.notFound();
    // Once the stream has begun, an error can no longer change the status of the response.
    await views.state(found.address, true);
    const viewer = viewerOf(context);
    const own = streams.filter((one) => one === viewer).length;
    if (streams.length >= maxStreams || own >= maxStreamsOfViewer) throw new BusyError("too many streams");
    streams.push(viewer);
    const seen = context.req.header("last-event-id") ?? context.req.query("state");
    return streamSSE(context, async (stream) => {
      const stop = new AbortController();
      stream.onAbort(() => stop.abort());
      const until = AbortSignal.any([signal, stop.signal]);
      const sendFreshness = () =>
        stream.writeSSE({ event: "freshness", data: String(freshnessLine(freshness())) });
      const timer = setInterval(() => void sendFreshness(), freshnessMs);
      try {
        await sendFreshness();
        for await (const { id, change } of views.changes(found.address, seen, until))
          await stream.writeSSE({ event: "change", id, data: JSON.stringify(change) });
      } finally {
        streams.splice(streams.indexOf(viewer), 1);
        clearInterval(timer);
      }
    });
  });

  async function stateOf({ address, page }: Address) {
    try {
      return { status: 200, ...(await views.state(address)) } as const;
    } catch (error) {
      if (error instanceof BusyError) throw error;
      return { status: 500, id: "", page: failedPage(page.title, messageOf(error)) } as const;
    }
  }

  async function showPage(context: Context): Promise<Response> {
    const { pathname, search } = new URL(context.req.url);
    const found = parseAddress(`${pathname}${search}`);
    if (!found) return context.notFound();
    const { id, page, status } = await stateOf(found);
    context.status(status);
    const headers = {
      "content-type": "text/html; charset=UTF-8",
      "cache-control": "no-store",
      vary: "hubrelay-part",
      "hubrelay-state": id,
    };
    if (context.req.header("hubrelay-part") === "main") return sendPage(context, pageText(page), headers);
    const { paths } = await assets();
    const document = documentText(
      {
        ...found.page,
        assets: paths,
        state: id,
        hubLine: freshnessLine(freshness()),
      },
      pageText(page),
    );
    return sendPage(context, document, headers);
  }
  app.get("*", showPage);
  app.notFound((context) => context.text("There is no such page. The first one is /.\n", 404));
  app.onError(sendError);
  return { app, views };
}
