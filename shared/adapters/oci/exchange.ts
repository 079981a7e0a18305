import { type Dispatcher, request as send } from "undici";
import { type RegistryAccess, RegistryError } from "../../ports/registry.ts";
import { abortable } from "../network/abortable.ts";
import { backOff } from "../network/back-off.ts";
import type { Environment } from "../settings/environment.ts";
import { dispatchers } from "./dispatchers.ts";
import { answerError, networkError, retryAfterOf } from "./trouble.ts";

const mostAttempts = 3;
const mostRedirects = 5;
/** A registry that asks for a longer pause is left alone: whoever asked comes again later. */
const longestPauseSeconds = 5;

/** One request to a registry or to the service that gives out its tokens. `what` begins the message of every error. */
export type RegistryRequest = Readonly<{
  what: string;
  method: "GET" | "HEAD" | "POST";
  url: URL;
  /** What a POST sends, as a form in a browser does. */
  form?: string;
  accept?: string;
  authorization?: string;
  access: RegistryAccess;
  /** Ends all attempts. */
  signal: AbortSignal;
}>;

export type RegistryAnswer = Dispatcher.ResponseData;

/** The HTTP of registries: any status but 429 and 5xx is an answer, those that stay are a `RegistryError`. */
export type Exchange = Readonly<{
  ask(request: RegistryRequest): Promise<RegistryAnswer>;
  close(): void;
}>;

export type ExchangeOptions = Readonly<{
  userAgent: string;
  /** For one attempt, until the headers are there. */
  attemptTimeoutMs: number;
  retryMs: Readonly<{ first: number; longest: number }>;
  /** For how long a host that did not answer in time is left alone: whoever asks has the same answer at once. */
  silenceMs: number;
  environment: Environment;
  now: () => number;
}>;

function locationOf({ statusCode, headers }: RegistryAnswer, from: URL): URL | undefined {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(statusCode) || typeof location !== "string") return undefined;
  return URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

export function openExchange(options: ExchangeOptions): Exchange {
  const connections = dispatchers(options.environment);
  const silentUntil = new Map<string, number>();

  function refuseSilent({ url, what }: RegistryRequest): void {
    if ((silentUntil.get(url.host) ?? 0) > options.now())
      throw new RegistryError("Timeout", `${what}: the registry did not answer in time a moment ago`);
    silentUntil.delete(url.host);
  }

  async function attempt({ method, url, form, accept, authorization, access, signal }: RegistryRequest) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(options.attemptTimeoutMs)]);
    const sent = send(url.href, {
      method,
      dispatcher: connections.of(url, access),
      // The body may take as long as the whole request.
      signal,
      headersTimeout: options.attemptTimeoutMs,
      headers: {
        "user-agent": options.userAgent,
        ...(accept ? { accept } : {}),
        ...(authorization ? { authorization } : {}),
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(form === undefined ? {} : { body: form }),
    });
    return abortable(sent, limit);
  }

  /**
   * Follows redirects: registries keep their blobs elsewhere. The credential stays with the origin that asked for
   * it, which for a form means that it is sent nowhere else, and nobody is led from TLS to plain HTTP.
   */
  async function follow(request: RegistryRequest): Promise<RegistryAnswer> {
    const { authorization, ...anonymous } = request;
    let { url } = request;
    for (let redirects = 0; ; redirects++) {
      const isOrigin = url.origin === request.url.origin;
      const answer = await attempt({
        ...anonymous,
        url,
        ...(isOrigin && authorization ? { authorization } : {}),
      });
      const next = locationOf(answer, url);
      if (!next || redirects === mostRedirects || request.form !== undefined) return answer;
      if (next.protocol !== "https:" && (next.protocol !== "http:" || url.protocol === "https:"))
        return answer;
      await answer.body.dump();
      url = next;
    }
  }

  return {
    async ask(request) {
      const { what, signal } = request;
      refuseSilent(request);
      const { first, longest } = options.retryMs;
      const pauses = backOff({ firstMs: first, longestMs: longest });
      for (let attempts = 1; ; attempts++) {
        try {
          const answer = await follow(request);
          const { statusCode, headers, body } = answer;
          if (statusCode !== 429 && statusCode < 500) return answer;
          await body.dump();
          throw answerError(statusCode, what, retryAfterOf(headers["retry-after"]));
        } catch (error) {
          const trouble = networkError(error, what);
          const pauseSeconds = trouble.retryAfterSeconds ?? 0;
          const isHopeless =
            trouble.code === "Untrusted" || pauseSeconds > longestPauseSeconds || signal.aborted;
          if (isHopeless || attempts === mostAttempts) {
            if (trouble.code === "Timeout")
              silentUntil.set(request.url.host, options.now() + options.silenceMs);
            throw trouble;
          }
          await pauses.pause(signal, pauseSeconds * 1000);
        }
      }
    },
    close: connections.close,
  };
}
