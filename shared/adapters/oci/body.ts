import { createHash, hash } from "node:crypto";
import { type Dispatcher, errors } from "undici";
import { readJson } from "../../domain/kubernetes/json/nesting.ts";
import { isRecord } from "../../domain/kubernetes/json/values.ts";
import { RegistryError } from "../../ports/registry.ts";
import { isTimeout, isTlsError, networkErrorText } from "../network/network-errors.ts";
import { isBatchOver, wholeBody } from "../network/requests.ts";

/** Returns the error for an unsuccessful status other than 404. */
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

/** Returns the error for a request that got no response. Returns a `RegistryError` unchanged. */
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

export type Fields = Readonly<Record<string, unknown>>;

const algorithms: ReadonlySet<string> = new Set(["sha256", "sha384", "sha512"]);

/** Returns a new hash object for the algorithm that a digest names. Undefined if the algorithm is not supported. */
export function hashFor(digest: string) {
  const algorithm = digest.slice(0, digest.indexOf(":"));
  return algorithms.has(algorithm) ? createHash(algorithm) : undefined;
}

/** Returns the digest `sha256:…` of the bytes. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${hash("sha256", bytes)}`;
}

/** Returns the whole body. Throws `RegistryError` if it is longer than `limit` bytes. */
export async function readBody(
  { body }: Dispatcher.ResponseData,
  limit: number,
  what: string,
): Promise<Buffer> {
  try {
    return await wholeBody(body, limit, () => tooLong(what, limit));
  } catch (error) {
    throw networkError(error, what);
  }
}

/** Returns the error for a response that is longer than `limit` bytes. */
export function tooLong(what: string, limit: number): RegistryError {
  return new RegistryError("InvalidResponse", `${what}: the response is longer than ${limit} bytes`);
}

/** Throws `RegistryError` unless the bytes have this digest. */
export function checkDigest(bytes: Uint8Array, digest: string, what: string): void {
  const hash = hashFor(digest);
  if (!hash || `${digest.slice(0, digest.indexOf(":"))}:${hash.update(bytes).digest("hex")}` !== digest)
    throw new RegistryError("InvalidResponse", `${what}: the content does not match ${digest.slice(0, 100)}`);
}

/** Parses the bytes as a JSON object. Throws `RegistryError` if they are none. */
export function jsonOf(bytes: Uint8Array, what: string): Fields {
  try {
    const value: unknown = readJson(Buffer.from(bytes).toString("utf8"));
    if (isRecord(value)) return value;
  } catch {
    // Falls through to the error below, which does not quote the text.
  }
  throw new RegistryError("InvalidResponse", `${what}: the response is not a JSON object`);
}
