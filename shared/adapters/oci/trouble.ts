import { redact } from "../../domain/credentials/redact.ts";
import { RegistryError } from "../../ports/registry.ts";
import { codeOf, isTimeout, isTlsTrouble } from "../network/network-trouble.ts";

const longestMessage = 160;

/** Seconds of a Retry-After header; a date is not read, no registry sends one. */
export function retryAfterOf(header: string | string[] | undefined): { retryAfterSeconds?: number } {
  return typeof header === "string" && /^\d{1,6}$/.test(header) ? { retryAfterSeconds: Number(header) } : {};
}

/** The error behind a status that is neither success nor "not there". */
export function answerError(
  status: number,
  what: string,
  retryAfter: { retryAfterSeconds?: number } = {},
): RegistryError {
  if (status === 401 || status === 403)
    return new RegistryError("Unauthorized", `${what}: the registry refuses these credentials (${status})`);
  if (status === 429)
    return new RegistryError("TooManyRequests", `${what}: the registry asks for fewer requests`, retryAfter);
  if (status >= 500)
    return new RegistryError("Unavailable", `${what}: the registry answered ${status}`, retryAfter);
  return new RegistryError("InvalidAnswer", `${what}: the registry answered ${status}`);
}

/** A request that got no answer, as the port's error. What a socket says holds no headers. */
export function networkError(error: unknown, what: string): RegistryError {
  if (error instanceof RegistryError) return error;
  const code = codeOf(error);
  const [line = ""] = error instanceof Error ? redact(error.message).split(/[\r\n]/, 1) : [];
  const said = line.includes(code) ? line : `${code}: ${line}`;
  if (isTlsTrouble(error))
    return new RegistryError(
      "Untrusted",
      `${what}: its certificate is not vouched for, or it speaks no TLS (${said.slice(0, longestMessage)})`,
    );
  return isTimeout(error)
    ? new RegistryError("Timeout", `${what}: the registry did not answer in time`)
    : new RegistryError(
        "Unavailable",
        `${what}: the registry cannot be reached (${said.slice(0, longestMessage)})`,
      );
}
