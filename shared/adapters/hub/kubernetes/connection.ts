import type { KubeConfig } from "@kubernetes/client-node";
import { type Dispatcher, request as send } from "undici";
import { readResponse } from "../../../domain/kubernetes/json/nesting.ts";
import { HubError } from "../../../ports/hub.ts";
import { isBrokenConnection, isTimeout, isTlsError } from "../../network/network-errors.ts";
import { abortable, wholeBody, withBatch } from "../../network/requests.ts";
import type { Environment } from "../../settings/environment.ts";
import { networkError, responseError } from "./api-error.ts";
import { credentials, type LoadKubeConfig, serverOf } from "./credentials.ts";
import { type Requested, requestedBy } from "./paths.ts";
import { type ServerClock, serverClock, withRetryAfter } from "./responses.ts";

const mebibyte = 1_048_576;
const minute = 60_000;

/** Limits for the responses of one API server: an endless response or list would fill this process's memory. */
export type ApiLimits = Readonly<{
  responseBytes: number;
  /** The maximum number of pages of one list. Pages after a restart of the list count, too. */
  listPages: number;
  listMs: number;
}>;

/**
 * Limits for the hub's API, which is trusted: they only stop endless responses. A page of 500 ManifestWorks takes about
 * 25 MiB, and a list of 100,000 objects takes 200 pages.
 */
export const hubLimits: ApiLimits = {
  responseBytes: 256 * mebibyte,
  listPages: 4_000,
  listMs: 30 * minute,
};

/**
 * Limits for a hosted cluster's API, which the cluster's owner controls. 20,000 ServiceAccounts take 40 pages of about
 * 1 MiB. `listMs` leaves time for the other clusters of a batch.
 */
export const guestLimits: ApiLimits = { responseBytes: 8 * mebibyte, listPages: 40, listMs: 20_000 };

/** One request to the API. `what` (verb and object) begins the message of every error. */
export type ApiRequest = Readonly<{
  what: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  query?: Readonly<Record<string, string>>;
  accept?: string;
  body?: unknown;
  signal?: AbortSignal;
}>;

export type StreamOptions = Readonly<{
  signal: AbortSignal;
  /** The connection counts as broken after this time without a byte. */
  idleTimeoutMs: number;
}>;

type Timeouts = Readonly<{ signal: AbortSignal; headersTimeout?: number; bodyTimeout?: number }>;

/** A connection to an API server. Every failure is a `HubError`. */
export type Connection = Readonly<{
  /** The API server's URL. It stays the same when the kubeconfig is read again. */
  server: string;
  limits: ApiLimits;
  /** Returns the parsed JSON of a successful response. */
  send(request: ApiRequest): Promise<unknown>;
  /** Returns the body of a successful response. Reading the body throws a `HubError` if the connection fails. */
  stream(request: ApiRequest, options: StreamOptions): Promise<AsyncIterable<Uint8Array>>;
  /** Returns the time at which the login ends. Undefined if unknown, or if the login is renewed automatically. */
  loginEnd(): Promise<Date | undefined>;
  /** Returns a sentence if the hub's last response was missing, rejected the login, or was 502, 503 or 504. */
  problem(): string | undefined;
  time: ServerClock["time"];
  close(): void;
}>;

/** Keeps the path, since one proxy may serve many clusters at different paths. */
function baseOf(server: URL): string {
  return `${server.origin}${server.pathname.replace(/\/$/, "")}`;
}

function urlOf(server: URL, { path, query = {} }: ApiRequest): string {
  const search = new URLSearchParams(query).toString();
  return `${baseOf(server)}${path}${search ? `?${search}` : ""}`;
}

async function textOf({ body }: Dispatcher.ResponseData, what: string, maxBytes: number): Promise<string> {
  const tooLong = () => new HubError("Unavailable", `${what}: the response is longer than ${maxBytes} bytes`);
  return (await wholeBody(body, maxBytes, tooLong)).toString("utf8");
}

async function failureOf(
  response: Dispatcher.ResponseData,
  what: string,
  maxBytes: number,
): Promise<HubError> {
  const { statusCode, headers } = response;
  const header = headers["retry-after"];
  const retryAfter = typeof header === "string" ? { retryAfterHeader: header } : {};
  return responseError(
    { status: statusCode, text: await textOf(response, what, maxBytes), ...retryAfter },
    what,
  );
}

function problemOf(status: number): string | undefined {
  if (status === 401) return "The hub rejects the login.";
  return status >= 502 && status <= 504 ? `The hub refuses requests (${status}).` : undefined;
}

/** Returns a connection, which is opened at the first request. `environment` may name a proxy. */
export function connect(
  config: KubeConfig,
  options: Readonly<{
    userAgent: string;
    requestTimeoutMs: number;
    reload?: LoadKubeConfig | undefined;
    environment: Environment;
    limits?: ApiLimits | undefined;
    onRequest?: ((requested: Requested) => void) | undefined;
  }>,
): Connection {
  const { userAgent, requestTimeoutMs, limits = hubLimits, onRequest = () => undefined } = options;
  const server = baseOf(serverOf(config));
  const keys = credentials(config, options);
  const clock = serverClock();
  let problem: string | undefined;

  /** Tries again once: after a rejected login or certificate, or for a read whose connection the server had closed. */
  async function exchange(request: ApiRequest, timeouts: Timeouts): Promise<Dispatcher.ResponseData> {
    const { what, method, body, accept = "application/json" } = request;
    const attempt = async (isLast: boolean): Promise<Dispatcher.ResponseData | undefined> => {
      const access = await keys.access(what);
      const noteDate = clock.sent();
      onRequest(requestedBy(request));
      try {
        const sent = send(urlOf(access.server, request), {
          ...timeouts,
          method,
          dispatcher: access.dispatcher,
          headers: {
            ...access.headers,
            accept,
            "user-agent": userAgent,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const response = await abortable(sent, timeouts.signal);
        noteDate(response.headers.date);
        problem = problemOf(response.statusCode);
        if (response.statusCode !== 401 || isLast || !(await keys.renew(access, what))) return response;
        await response.body.dump();
        return undefined;
      } catch (error) {
        if (!timeouts.signal.aborted || isTimeout(error)) problem = "The hub does not respond.";
        if (isLast) throw error;
        if (method === "GET" && isBrokenConnection(error)) return undefined;
        if (isTlsError(error) && (await keys.renew(access, what))) return undefined;
        throw error;
      }
    };
    const response = (await attempt(false)) ?? (await attempt(true));
    if (!response) throw new Error("the last attempt returns or throws");
    return response;
  }

  async function succeed(request: ApiRequest, timeouts: Timeouts): Promise<Dispatcher.ResponseData> {
    const response = await exchange(request, timeouts);
    if (response.statusCode < 300) return response;
    throw await failureOf(response, request.what, limits.responseBytes);
  }

  return {
    server,
    limits,

    async send(request) {
      const { what } = request;
      try {
        const signal = withBatch(AbortSignal.timeout(requestTimeoutMs), request.signal);
        const response = await withRetryAfter(() => succeed(request, { signal }), signal);
        return parseBody(response.statusCode, await textOf(response, what, limits.responseBytes), what);
      } catch (error) {
        throw networkError(error, what);
      }
    },

    async stream(request, { signal, idleTimeoutMs }) {
      try {
        const timeouts = { signal, headersTimeout: requestTimeoutMs, bodyTimeout: idleTimeoutMs };
        return (await succeed(request, timeouts)).body;
      } catch (error) {
        throw networkError(error, request.what);
      }
    },

    loginEnd: keys.end,

    problem: () => problem,

    time: clock.time,

    close: keys.close,
  };
}

function parseBody(status: number, text: string, what: string): unknown {
  const value = readResponse(text);
  if (value === undefined) throw responseError({ status, text: "" }, what);
  return value;
}
