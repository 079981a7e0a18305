import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { pipeline } from "node:stream/promises";
import { Agent, type Dispatcher, request } from "undici";
import { listenOnFreePort } from "../../../support/servers/free-port.ts";
import type { TestCluster } from "../clusters/cluster.ts";

/** A stand-in for an API server, which forwards requests to it. */
export type ApiStandIn = AsyncDisposable & Readonly<{ port: number }>;

/** How a request reaches the server behind the stand-in. */
export type Upstream = Readonly<{
  /** Sends the client's request to this path; with this body instead of the client's, if given. */
  forward(path: string, body?: string): Promise<Dispatcher.ResponseData>;
  /** Reads this path with the client's login. */
  read(path: string): Promise<Dispatcher.ResponseData>;
  /** Sends the request as it is, or with this body, and the response to the client. */
  passOn(body?: string): Promise<void>;
}>;

const notPassedOn: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "transfer-encoding",
]);

/** Headers to forward, without those of the connection and of one body. */
function passed(headers: IncomingMessage["headers"]): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || notPassedOn.has(name) ? [] : [[name, value]],
    ),
  );
}

/** Starts a server that clients take for the API server, certificate included; `serve` responds to each request. */
export async function startApiStandIn(
  { server, certificates }: TestCluster,
  serve: (asked: IncomingMessage, response: ServerResponse, upstream: Upstream) => Promise<void>,
): Promise<ApiStandIn> {
  const { authority, serving } = certificates;
  const dispatcher = new Agent({
    connect: { ca: await readFile(authority) },
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  function upstreamOf(asked: IncomingMessage, response: ServerResponse): Upstream {
    const { method = "GET", url = "/", headers } = asked;
    const sent = { dispatcher, headers: passed(headers) };
    const read: Upstream["read"] = (path) => request(`${server}${path}`, sent);
    const forward: Upstream["forward"] = (path, body) =>
      method === "GET" ? read(path) : request(`${server}${path}`, { ...sent, method, body: body ?? asked });
    return {
      read,
      forward,
      async passOn(body) {
        const upstream = await forward(url, body);
        response.writeHead(upstream.statusCode, passed(upstream.headers));
        // A watch sends its headers long before its first event.
        response.flushHeaders();
        await pipeline(upstream.body, response);
      },
    };
  }

  const key = await readFile(serving.key);
  const cert = await readFile(serving.certificate);
  const listener = createServer({ key, cert }, (asked, response) => {
    // A client that was killed during the request does not wait for the response.
    serve(asked, response, upstreamOf(asked, response)).catch(() => response.destroy());
  });
  const port = await listenOnFreePort(listener);
  return {
    port,
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      listener.close();
      await once(listener, "close");
      await dispatcher.destroy();
    },
  };
}
