import { firstLineOf } from "../../domain/text/error-text.ts";

const timeouts: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "TimeoutError",
]);

const broken: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : error.name;
}

const maxMessageLength = 160;

/**
 * Returns a failed request's error as one line with its code, such as `connect ECONNREFUSED 192.0.2.1:6443`. The
 * messages of such errors contain no headers.
 */
export function networkErrorText(error: unknown): string {
  const code = codeOf(error);
  const line = firstLineOf(error);
  return (line.includes(code) ? line : `${code}: ${line}`).slice(0, maxMessageLength);
}

/** Reports whether the request timed out. */
export function isTimeout(error: unknown): boolean {
  return timeouts.has(codeOf(error));
}

/** Reports whether the server sent nothing for longer than the connection's idle timeout. */
export function isIdleTimeout(error: unknown): boolean {
  return codeOf(error) === "UND_ERR_BODY_TIMEOUT";
}

/** Reports whether the server had already closed the connection. A read may then be repeated. */
export function isBrokenConnection(error: unknown): boolean {
  return broken.has(codeOf(error));
}

/** Reports whether the certificate of the server or of the client was rejected. */
export function isTlsError(error: unknown): boolean {
  return /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(codeOf(error));
}

/** Reports whether a request failed because of the network. False if only the content of the response was wrong. */
export function isNetworkError(error: unknown): boolean {
  return isTimeout(error) || isBrokenConnection(error) || /^(?:UND_ERR_|E[A-Z]{3,}$)/.test(codeOf(error));
}
