import { errors } from "undici";
import { RegistryError } from "../../ports/registry.ts";
import { isBatchOver } from "../network/batch-signal.ts";
import { isTimeout, isTlsError, networkErrorText } from "../network/network-errors.ts";

/** Returns the error for a status that is neither success nor 404. */
export function responseError(
  status: number,
  what: string,
  retryAfter: { retryAfterSeconds?: number } = {},
): RegistryError {
  if (status === 401 || status === 403)
    return new RegistryError("Unauthorized", `${what}: the registry rejects these credentials (${status})`);
  if (status === 429)
    return new RegistryError(
      "TooManyRequests",
      `${what}: the registry reports too many requests`,
      retryAfter,
    );
  if (status >= 500)
    return new RegistryError("Unavailable", `${what}: the registry returned ${status}`, retryAfter);
  return new RegistryError("UnexpectedStatus", `${what}: the registry returned ${status}`);
}

/** Returns a request without a response as the port's error. */
export function networkError(error: unknown, what: string): RegistryError {
  if (error instanceof RegistryError) return error;
  if (isBatchOver()) return new RegistryError("Aborted", `${what}: its batch has failed or timed out`);
  if (isTlsError(error))
    return new RegistryError(
      "Untrusted",
      `${what}: its certificate is not trusted, or it does not use TLS (${networkErrorText(error)})`,
    );
  if (error instanceof errors.InvalidArgumentError)
    return new RegistryError("UnexpectedStatus", `${what}: the registry redirects in a circle`);
  return isTimeout(error)
    ? new RegistryError("Timeout", `${what}: the registry did not respond in time`)
    : new RegistryError(
        "Unavailable",
        `${what}: the registry cannot be reached (${networkErrorText(error)})`,
      );
}
