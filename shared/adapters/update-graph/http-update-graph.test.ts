import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listenOnFreePort } from "../../../test/support/servers/free-port.ts";
import { runUntil } from "../network/requests.ts";
import { httpUpdateGraph } from "./http-update-graph.ts";

const image = "quay.io/release@sha256:1";
const graph = JSON.stringify({
  nodes: [
    { version: "4.20.2", payload: "quay.io/release@sha256:0" },
    { version: "4.20.3" },
    { version: "4.20.3", payload: image },
    { version: "4.20.4" },
  ],
  edges: [],
});

type Responder = (request: IncomingMessage, response: ServerResponse) => void;

/** A server with these responses that records requests. */
async function aServer() {
  const requests: IncomingMessage[] = [];
  let respond: Responder = (_request, response) => response.end(graph);
  const server = createServer((request, response) => {
    requests.push(request);
    respond(request, response);
  });
  const port = await listenOnFreePort(server);
  return {
    requests,
    upstream: `http://127.0.0.1:${port}/api/graph`,
    respondsWith(next: Responder) {
      respond = next;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

let server: Awaited<ReturnType<typeof aServer>>;
let clock: number;
let opened: ReturnType<typeof httpUpdateGraph>;

beforeEach(async () => {
  server = await aServer();
  clock = 0;
  opened = httpUpdateGraph({
    environment: {},
    userAgent: "hubrelay/test",
    freshMs: 100,
    staleMs: 1000,
    now: () => clock,
  });
});

afterEach(() => {
  opened.close();
  server.stop();
});

const ask = (channel = "stable-4.20", version = "4.20.3") =>
  opened.ask({ upstream: server.upstream, channel, version });

/** Asks with a timeout that a test can wait for, and that no other test could miss on a busy machine. */
async function askImpatiently() {
  const impatient = httpUpdateGraph({ environment: {}, userAgent: "t", timeoutMs: 500 });
  const reply = await impatient.ask({
    upstream: server.upstream,
    channel: "stable-4.20",
    version: "4.20.3",
  });
  impatient.close();
  return reply;
}

describe("the update graph of a server", () => {
  test("When it is queried, it should request JSON of the channel and return the release's image", async () => {
    expect(await ask()).toEqual({ ok: true, image });
    expect(server.requests[0]).toMatchObject({
      url: "/api/graph?channel=stable-4.20",
      headers: { accept: "application/json", "user-agent": "hubrelay/test" },
    });
  });

  test("When it is queried again soon, or twice at once, it should send one request", async () => {
    await Promise.all([ask(), ask()]);
    clock = 99;
    await ask();
    expect(server.requests).toHaveLength(1);
    await ask("fast-4.20");
    expect(server.requests).toHaveLength(2);
  });

  test("When the server fails, a graph that is not too old should be used", async () => {
    await ask();
    server.respondsWith((_request, response) => response.writeHead(503).end());
    clock = 900;
    expect(await ask()).toEqual({ ok: true, image });
    clock = 1100;
    expect(await ask()).toEqual({
      ok: false,
      message: `error response from update graph url ${server.upstream}?channel=stable-4.20: 503`,
    });
  });

  test("When the server does not respond in time, it should say so", async () => {
    server.respondsWith(() => undefined);
    expect(await askImpatiently()).toEqual({
      ok: false,
      message: `unable to request update graph on url ${server.upstream}?channel=stable-4.20: no response within 500 ms`,
    });
  });

  test("When the batch that began a query is over, another that waits for the response should still get it", async () => {
    const batch = new AbortController();
    const asked = Promise.withResolvers<void>();
    server.respondsWith(() => asked.resolve());
    const first = runUntil(batch.signal, () => ask());
    const second = ask();
    await asked.promise;
    server.respondsWith((_request, response) => response.end(graph));
    batch.abort(new DOMException("no time left", "TimeoutError"));
    await expect(first).rejects.toMatchObject({ code: "Aborted" });
    expect(await second).toEqual({ ok: true, image });
    expect(server.requests).toHaveLength(2);
  });

  test.for([
    { body: "<html>", message: "unable to unmarshal body: 6 characters that are not JSON" },
    { body: "[]", message: "unable to unmarshal body: the JSON is not an object" },
  ])("When the response is $body, it should say so", async ({ body, message }) => {
    server.respondsWith((_request, response) => response.end(body));
    expect(await ask()).toEqual({ ok: false, message });
  });

  test("When nothing listens, it should name the URL and the reason", async () => {
    server.stop();
    expect(await ask()).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^unable to request update graph on url http:.*ECONNREFUSED/),
    });
  });

  test("When another version is requested, it should be requested from the server, and a missing one be reported as such", async () => {
    expect(await ask("c", "4.20.2")).toEqual({ ok: true, image: "quay.io/release@sha256:0" });
    expect(await ask("c", "4.20.3")).toEqual({ ok: true, image });
    expect(await ask("c", "4.20.4")).toEqual({ ok: true, image: undefined });
    expect(server.requests).toHaveLength(3);
  });

  test.for([
    {
      what: "longer than 8 MiB",
      body: `{"a":"${"x".repeat(8 * 1024 * 1024)}"}`,
      why: "larger than 8388608 bytes",
    },
    {
      what: "of millions of objects",
      body: `{"nodes":[${"{},".repeat(300_000)}1]}`,
      why: "more than 250000 objects",
    },
  ])("When the response is $what, it should be refused with the limit", async ({ body, why }) => {
    server.respondsWith((_request, response) => response.end(body));
    const patient = httpUpdateGraph({ environment: {}, userAgent: "t", timeoutMs: 20_000 });
    const result = await patient.ask({ upstream: server.upstream, channel: "c", version: "4.20.3" });
    patient.close();
    expect(result).toMatchObject({ ok: false, message: expect.stringContaining(why) });
  });

  test("When the payload of a version is longer than any image's name, it should be ignored", async () => {
    const nodes = [{ version: "4.20.3", payload: "x".repeat(5000) }];
    server.respondsWith((_request, response) => response.end(JSON.stringify({ nodes })));
    expect(await ask()).toEqual({ ok: true, image: undefined });
  });

  test.for(["", "graph.lab", "file:///etc/passwd"])(
    "When the upstream is %j, there should be no request",
    async (upstream) => {
      expect(await opened.ask({ upstream, channel: "c", version: "4.20.3" })).toMatchObject({
        ok: false,
        message: expect.stringContaining("not an http or https URL"),
      });
    },
  );

  test("When the server redirects, it should follow", async () => {
    server.respondsWith((request, response) => {
      if (request.url?.startsWith("/moved")) response.end(graph);
      else response.writeHead(302, { location: "/moved" }).end();
    });
    expect(await ask()).toEqual({ ok: true, image });
  });

  test("When a proxy is set, it should go through the proxy", async () => {
    const proxied = httpUpdateGraph({
      environment: { HTTP_PROXY: new URL(server.upstream).origin },
      userAgent: "hubrelay/test",
    });
    const result = await proxied.ask({ upstream: "http://graph.lab/api", channel: "c", version: "4.20.3" });
    proxied.close();
    expect(server.requests[0]?.headers.host).toBe("graph.lab");
    expect(result).toEqual({ ok: true, image });
  });

  test("When the file of authorities cannot be read, it should say which setting that is", () => {
    const open = () =>
      httpUpdateGraph({ environment: { HUBRELAY_UPDATE_GRAPH_CA: "/nowhere.pem" }, userAgent: "t" });
    expect(open).toThrow(/HUBRELAY_UPDATE_GRAPH_CA names a file that cannot be read/);
  });
});

test("When many graphs are asked for at once, at most four requests should be open, and each should return its image", async () => {
  const open: ServerResponse[] = [];
  let most = 0;
  server.respondsWith(({ url = "" }, response) => {
    if (url.endsWith("probe")) {
      response.end();
      return;
    }
    open.push(response);
    most = Math.max(most, open.length);
    if (open.length !== 4) return;
    // A fifth request would have been sent before this one.
    fetch(`${server.upstream}?probe`).then(() => {
      for (const one of open.splice(0)) one.end(graph);
    });
  });
  const { upstream } = server;
  const channels = Array.from({ length: 12 }, (_, index) => `stable-4.${index}`);
  const responses = await Promise.all(
    channels.map((channel) => opened.ask({ upstream, channel, version: "4.20.3" })),
  );
  expect(responses).toEqual(channels.map(() => ({ ok: true, image })));
  expect(most).toBe(4);
});
