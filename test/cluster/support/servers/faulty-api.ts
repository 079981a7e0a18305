import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { pipeline } from "node:stream/promises";
import { Agent, request } from "undici";
import { listenOnFreePort } from "../../../support/servers/free-port.ts";
import type { TestCluster } from "../clusters/cluster.ts";

/**
 * The fate of a request: it is refused with 429 because the server is overloaded, it fails with 500 before anything is
 * done, or it is executed and its response is lost.
 */
export type Fault = "too many" | "broken" | "response lost";

/** A stand-in for an API server, which forwards requests to it. */
export type FaultyApi = AsyncDisposable &
  Readonly<{
    port: number;
    /** Number of requests that received a fault. */
    faults(): number;
  }>;

const refusals = {
  "too many": { code: 429, reason: "TooManyRequests", headers: { "retry-after": "1" } },
  broken: { code: 500, reason: "InternalError", headers: {} },
  "response lost": { code: 500, reason: "InternalError", headers: {} },
} as const;

function refuse(response: ServerResponse, fault: Fault): void {
  const { code, reason, headers } = refusals[fault];
  const status = {
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    reason,
    code,
    message: `${fault} in a test`,
  };
  response.writeHead(code, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(status));
}

const notPassedOn: ReadonlySet<string> = new Set(["connection", "host", "keep-alive", "transfer-encoding"]);

/** Headers to forward, without those of the connection itself. */
function passed(headers: IncomingMessage["headers"]): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || notPassedOn.has(name) ? [] : [[name, value]],
    ),
  );
}

/**
 * Starts a server that clients take for the API server, certificate included. `faultOf` is called before each request
 * is forwarded, and may take its time.
 */
export async function startFaultyApi(
  { server, certificates }: TestCluster,
  faultOf: (method: string, path: string) => Fault | undefined | Promise<Fault | undefined>,
): Promise<FaultyApi> {
  const { authority, serving } = certificates;
  const dispatcher = new Agent({
    connect: { ca: await readFile(authority) },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  let faults = 0;

  async function serve(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = asked;
    const fault = await faultOf(method, url);
    if (fault) faults++;
    if (fault && fault !== "response lost") return refuse(response, fault);
    const upstream = await request(`${server}${url}`, {
      dispatcher,
      method,
      headers: passed(headers),
      ...(method === "GET" ? {} : { body: asked }),
    });
    if (fault) {
      await upstream.body.dump();
      return refuse(response, fault);
    }
    response.writeHead(upstream.statusCode, passed(upstream.headers));
    await pipeline(upstream.body, response);
  }

  const key = await readFile(serving.key);
  const cert = await readFile(serving.certificate);
  const listener = createServer({ key, cert }, (asked, response) => {
    // A client that was killed during the request does not wait for the response.
    serve(asked, response).catch(() => response.destroy());
  });
  const port = await listenOnFreePort(listener);
  return {
    port,
    faults: () => faults,
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      listener.close();
      await once(listener, "close");
      await dispatcher.destroy();
    },
  };
}
