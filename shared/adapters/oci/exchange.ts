import { type Dispatcher, errors, interceptors, request } from "undici";
import { type RegistryAccess, RegistryError } from "../../ports/registry.ts";
import { type Dispatchers, dispatchers } from "../network/dispatchers.ts";
import { abortable, retryAfterOf } from "../network/requests.ts";
import type { Environment } from "../settings/environment.ts";
import { networkError, responseError } from "./body.ts";

/** Maximum Retry-After for which a request is repeated. After a longer one, the request fails. */
const maxPauseSeconds = 5;

/** One request to a registry or to its token service. `what` begins the message of every error. */
export type RegistryRequest = Readonly<{
  what: string;
  method: "GET" | "HEAD" | "POST";
  url: URL;
  /** A form-encoded body. */
  form?: string;
  accept?: string;
  authorization?: string;
  access: RegistryAccess;
  signal: AbortSignal;
}>;

export type RegistryResponse = Dispatcher.ResponseData;

/** HTTP requests to registries. `ask` retries 429 and 5xx, and then throws. It returns all other responses. */
export type Exchange = Readonly<{
  ask(request: RegistryRequest): Promise<RegistryResponse>;
  certificates: Dispatchers["certificates"];
  close(): void;
}>;

export type ExchangeOptions = Readonly<{
  userAgent: string;
  attemptTimeoutMs: number;
  maxAttempts: number;
  retryMs: Readonly<{ first: number; max: number }>;
  /** After a timeout, all requests to the host fail at once for this time. */
  cooldownMs: number;
  environment: Environment;
  now: () => number;
}>;

const isRetryableStatus = (status: number) => status === 429 || status >= 500;

function statusOf(error: Error): Readonly<{ status?: number; retryAfterSeconds?: number }> {
  if (!(error instanceof errors.RequestRetryError)) return {};
  return { status: error.statusCode, ...retryAfterOf(error.headers?.["retry-after"]) };
}

export function openExchange(options: ExchangeOptions): Exchange {
  const connections = dispatchers(options.environment);
  const skippedUntil = new Map<string, number>();

  function checkCooldown({ url, what }: RegistryRequest): void {
    if ((skippedUntil.get(url.host) ?? 0) > options.now())
      throw new RegistryError("Timeout", `${what}: the registry did not respond in time a moment ago`);
    skippedUntil.delete(url.host);
  }

  function retry({ what, signal }: RegistryRequest) {
    const { first, max } = options.retryMs;
    return interceptors.retry({
      throwOnError: false,
      retry(error, { state: { counter } }, done) {
        const { status, retryAfterSeconds = 0 } = statusOf(error);
        const isPassing =
          status === undefined
            ? ["Timeout", "Unavailable"].includes(networkError(error, what).code)
            : isRetryableStatus(status);
        if (
          !isPassing ||
          counter >= options.maxAttempts ||
          retryAfterSeconds > maxPauseSeconds ||
          signal.aborted
        )
          return done(error);
        const pauseMs = Math.min(first * 2 ** (counter - 1), max) * (0.5 + Math.random() / 2);
        return setTimeout(done, Math.max(retryAfterSeconds * 1000, pauseMs), null);
      },
    });
  }

  async function send(sent: RegistryRequest): Promise<RegistryResponse> {
    const { method, url, form, accept, authorization, access, signal } = sent;
    // A form contains a credential, so the request does not follow redirects.
    const connection = form === undefined ? connections.following(url, access) : connections.of(url, access);
    const response = request(url.href, {
      method,
      dispatcher: connection.compose(retry(sent)),
      // There is no separate timeout for the body, which may take as long as the whole call.
      signal,
      headersTimeout: options.attemptTimeoutMs,
      // By default undici closes a connection after HEAD. Then each of thousands of layers would need a TLS handshake.
      reset: false,
      headers: {
        "user-agent": options.userAgent,
        ...(accept ? { accept } : {}),
        ...(authorization ? { authorization } : {}),
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(form === undefined ? {} : { body: form }),
    });
    return abortable(response, signal);
  }

  return {
    certificates: connections.certificates,

    async ask(asked) {
      const { what, url } = asked;
      checkCooldown(asked);
      try {
        const response = await send(asked);
        const { statusCode, headers, body } = response;
        if (!isRetryableStatus(statusCode)) return response;
        await body.dump();
        throw responseError(statusCode, what, retryAfterOf(headers["retry-after"]));
      } catch (error) {
        const registryError = networkError(error, what);
        if (registryError.code === "Timeout") skippedUntil.set(url.host, options.now() + options.cooldownMs);
        throw registryError;
      }
    },
    close: connections.close,
  };
}
