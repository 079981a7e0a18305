import { readFileSync } from "node:fs";
import { type Dispatcher, request as send } from "undici";
import {
  type GraphQuery,
  type GraphResponse,
  graphKey,
  graphUrl,
  parseGraph,
} from "../../domain/precache-plan/policies/update-graph.ts";
import { messageOf } from "../../domain/text/error-text.ts";
import type { UpdateGraph } from "../../ports/external-ports.ts";
import { RegistryError } from "../../ports/registry.ts";
import { boundedCache } from "../../registry/bounded-cache.ts";
import { dispatchers } from "../network/dispatchers.ts";
import { isTimeout, networkErrorText } from "../network/network-errors.ts";
import { abortable, isBatchOver, wholeBody, withBatch } from "../network/requests.ts";
import { type Environment, EnvironmentError } from "../settings/environment.ts";

/** Maximum size of a response. A channel with hundreds of releases takes less than one megabyte. */
const maxBodyBytes = 8 * 1024 * 1024;
/** Maximum objects and arrays in a response. In memory, an empty one takes twenty times the size of its JSON text. */
const maxValues = 250_000;
const cacheCapacity = 2_000;

/** Maximum concurrent queries. It limits memory, since each query has its response in memory twice. */
const maxConcurrency = 4;

export type HttpUpdateGraphOptions = Readonly<{
  /** May have HTTPS_PROXY, NO_PROXY, and HUBRELAY_UPDATE_GRAPH_CA (a file with additional trusted certificates). */
  environment: Environment;
  userAgent: string;
  /** The timeout of one query, including redirects and body. */
  timeoutMs?: number;
  /** How long a response is used without another request. */
  freshMs?: number;
  /** Maximum age of a response that is used while the server fails; a release's image never changes. */
  staleMs?: number;
  now?: () => number;
}>;

/** `at` is in milliseconds since the epoch. `isFresh` is false if the last request failed. */
type CacheEntry = Readonly<{
  response: GraphResponse;
  at: number;
  isFresh: boolean;
}>;

function authoritiesOf({ HUBRELAY_UPDATE_GRAPH_CA: file }: Environment): string {
  if (!file) return "";
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const why = messageOf(error);
    throw new EnvironmentError(`HUBRELAY_UPDATE_GRAPH_CA names a file that cannot be read: ${why}`);
  }
}

function requestUrl({ upstream, channel }: GraphQuery): URL | undefined {
  const url = URL.parse(upstream);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  url.searchParams.set("channel", channel);
  return url;
}

const openBrace = 0x7b;
const openBracket = 0x5b;

async function bodyOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const tooLong = () => new Error(`the response is larger than ${maxBodyBytes} bytes`);
  const bytes = await wholeBody(body, maxBodyBytes, tooLong);
  let values = 0;
  for (const byte of bytes) if (byte === openBrace || byte === openBracket) values++;
  if (values > maxValues) throw new Error(`the response has more than ${maxValues} objects and arrays`);
  return bytes.toString("utf8");
}

function limited(max: number) {
  const waiting: (() => void)[] = [];
  let active = 0;
  return async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (active === max) await new Promise<void>((start) => waiting.push(start));
    else active++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else active--;
    }
  };
}

/** Returns the update graphs of Cincinnati servers. While a server fails, a response is used for up to a day. */
export function httpUpdateGraph({
  environment,
  userAgent,
  timeoutMs = 10_000,
  freshMs = 5 * 60_000,
  staleMs = 24 * 3_600_000,
  now = Date.now,
}: HttpUpdateGraphOptions): UpdateGraph & Readonly<{ close(): void }> {
  const connections = dispatchers(environment);
  const authorities = authoritiesOf(environment);
  const run = limited(maxConcurrency);
  const cache = boundedCache<CacheEntry>({
    capacity: cacheCapacity,
    lifetimeMs: ({ isFresh }) => (isFresh ? freshMs : 0),
    now,
  });

  async function request(url: URL, query: GraphQuery, known: CacheEntry | undefined): Promise<CacheEntry> {
    const name = graphUrl(query);
    const headers = { accept: "application/json", "user-agent": userAgent };
    const signal = withBatch(AbortSignal.timeout(timeoutMs));
    const staleOr = (message: string): CacheEntry =>
      known && now() - known.at < staleMs
        ? { ...known, isFresh: false }
        : { response: { ok: false, message }, at: Number.NEGATIVE_INFINITY, isFresh: false };
    try {
      const dispatcher = connections.following(url, { authorities });
      const response = await abortable(send(url.href, { dispatcher, headers, signal }), signal);
      if (response.statusCode !== 200) {
        await response.body.dump();
        return staleOr(`error response from update graph url ${name}: ${response.statusCode}`);
      }
      const parsed = parseGraph(await abortable(bodyOf(response), signal), query);
      if (!parsed.ok) return staleOr(parsed.message);
      return { response: parsed, at: now(), isFresh: true };
    } catch (error) {
      if (isBatchOver()) throw new RegistryError("Aborted", `${name}: its batch has failed or timed out`);
      const why = isTimeout(error) ? `no response within ${timeoutMs} ms` : networkErrorText(error);
      return staleOr(`unable to request update graph on url ${name}: ${why}`);
    }
  }

  return {
    async ask(query) {
      const url = requestUrl(query);
      if (!url)
        return {
          ok: false,
          message: `unable to request update graph on url ${graphUrl(query)}: not an http or https URL`,
        };
      const entry = await cache.get(graphKey(query), (known) => run(() => request(url, query, known)));
      return entry.response;
    },
    close: connections.close,
  };
}
