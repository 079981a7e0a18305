import { redact } from "../../domain/redact.ts";
import { HubError } from "../../ports/hub.ts";

const longestMessage = 160;

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
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : error.name;
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

/** `connect ECONNREFUSED 192.0.2.1:6443`: what the socket says, with its code. Such messages hold no headers. */
function textOf(error: unknown): string {
  const code = codeOf(error);
  const [line = ""] = error instanceof Error ? redact(error.message).split(/[\r\n]/, 1) : [];
  return line.includes(code) ? line.slice(0, longestMessage) : `${code}: ${line.slice(0, longestMessage)}`;
}

/** A request that got no whole answer, as the port's error. */
export function networkError(error: unknown, what: string): HubError {
  if (error instanceof HubError) return error;
  if (timeouts.has(codeOf(error)))
    return new HubError("Timeout", `${what}: the hub did not answer in time (${textOf(error)})`);
  return new HubError("Unavailable", `${what}: the hub cannot be reached (${textOf(error)})`);
}
