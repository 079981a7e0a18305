import { type Dispatcher, request as send } from "undici";
import { type RegistryAccess, RegistryError } from "../../ports/registry.ts";
import { abortable } from "../network/abortable.ts";
import { backOff } from "../network/back-off.ts";
import { type Dispatchers, dispatchers } from "../network/dispatchers.ts";
import { redirectOf, retryAfterOf } from "../network/responses.ts";
import type { Environment } from "../settings/environment.ts";
import { networkError, responseError } from "./registry-errors.ts";

const maxRedirects = 5;
/** A registry that asks for a longer pause is not retried here: the caller comes again later. */
const maxPauseSeconds = 5;

/** One request to a registry or to its token service. `what` begins the message of every error. */
export type RegistryRequest = Readonly<{
  what: string;
  method: "GET" | "HEAD" | "POST";
  url: URL;
  /** The body of a POST, form-encoded. */
  form?: string;
  accept?: string;
  authorization?: string;
  access: RegistryAccess;
  /** Aborts all attempts. */
  signal: AbortSignal;
}>;

export type RegistryResponse = Dispatcher.ResponseData;

/** HTTP to registries: any status but 429 and 5xx is a response; these are retried, then a `RegistryError`. */
export type Exchange = Readonly<{
  ask(request: RegistryRequest): Promise<RegistryResponse>;
  certificates: Dispatchers["certificates"];
  close(): void;
}>;

export type ExchangeOptions = Readonly<{
  userAgent: string;
  /** The timeout of one attempt, until the headers arrive. */
  attemptTimeoutMs: number;
  maxAttempts: number;
  retryMs: Readonly<{ first: number; max: number }>;
  /** How long a host that did not respond in time is skipped: all callers get the error at once. */
  cooldownMs: number;
  environment: Environment;
  now: () => number;
}>;

export function openExchange(options: ExchangeOptions): Exchange {
  const connections = dispatchers(options.environment);
  const skippedUntil = new Map<string, number>();

  function checkCooldown({ url, what }: RegistryRequest): void {
    if ((skippedUntil.get(url.host) ?? 0) > options.now())
      throw new RegistryError("Timeout", `${what}: the registry did not respond in time a moment ago`);
    skippedUntil.delete(url.host);
  }

  async function attempt({ method, url, form, accept, authorization, access, signal }: RegistryRequest) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(options.attemptTimeoutMs)]);
    const sent = send(url.href, {
      method,
      dispatcher: connections.of(url, access),
      // The body may take as long as the whole call.
      signal,
      headersTimeout: options.attemptTimeoutMs,
      // The library closes a connection after HEAD, and thousands of layers would have a TLS handshake each.
      reset: false,
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
   * Follows redirects: registries keep their blobs elsewhere. The credential is sent only to the origin that asked for
   * it, so a form is never redirected, no redirect leads from TLS to plain HTTP, and another origin's challenge is
   * removed: it could name its own token service.
   */
  async function follow(request: RegistryRequest): Promise<RegistryResponse> {
    const { authorization, ...anonymous } = request;
    let { url } = request;
    for (let redirects = 0; ; redirects++) {
      const isOrigin = url.origin === request.url.origin;
      const response = await attempt({
        ...anonymous,
        url,
        ...(isOrigin && authorization ? { authorization } : {}),
      });
      const next = redirectOf(response, url);
      if (!next || redirects === maxRedirects || request.form !== undefined) {
        const { "www-authenticate": _, ...headers } = response.headers;
        return isOrigin ? response : { ...response, headers };
      }
      await response.body.dump();
      url = next;
    }
  }

  return {
    certificates: connections.certificates,

    async ask(request) {
      const { what, signal } = request;
      checkCooldown(request);
      const { first, max } = options.retryMs;
      const pauses = backOff({ firstMs: first, maxMs: max });
      for (let attempts = 1; ; attempts++) {
        try {
          const response = await follow(request);
          const { statusCode, headers, body } = response;
          if (statusCode !== 429 && statusCode < 500) return response;
          await body.dump();
          throw responseError(statusCode, what, retryAfterOf(headers["retry-after"]));
        } catch (error) {
          const registryError = networkError(error, what);
          const pauseSeconds = registryError.retryAfterSeconds ?? 0;
          const isFinal =
            registryError.code === "Untrusted" || pauseSeconds > maxPauseSeconds || signal.aborted;
          if (isFinal || attempts === options.maxAttempts) {
            if (registryError.code === "Timeout")
              skippedUntil.set(request.url.host, options.now() + options.cooldownMs);
            throw registryError;
          }
          await pauses.pause(signal, pauseSeconds * 1000);
        }
      }
    },
    close: connections.close,
  };
}
