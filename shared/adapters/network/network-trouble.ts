const timeouts: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "TimeoutError",
]);

/** A connection that the other side closed while it was idle, or while we were writing. */
const broken: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** `code` of a failed request (`ECONNREFUSED`, `UND_ERR_SOCKET`), else the error's name. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : error.name;
}

/** True when the time for an answer was over. */
export function isTimeout(error: unknown): boolean {
  return timeouts.has(codeOf(error));
}

/** True when no bytes came for as long as a live connection would never be silent. */
export function isSilence(error: unknown): boolean {
  return codeOf(error) === "UND_ERR_BODY_TIMEOUT";
}

/** True when a connection that had been idle turned out to be closed: a read may simply be sent again. */
export function isBrokenConnection(error: unknown): boolean {
  return broken.has(codeOf(error));
}

/** True when the server's certificate, or ours, was refused: a certificate may have been replaced. */
export function isTlsTrouble(error: unknown): boolean {
  return /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(codeOf(error));
}

/** True when it was the connection that failed, and not what came over it. */
export function isNetworkTrouble(error: unknown): boolean {
  return isTimeout(error) || isBrokenConnection(error) || /^(?:UND_ERR_|E[A-Z]{3,}$)/.test(codeOf(error));
}
