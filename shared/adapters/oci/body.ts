import { createHash, hash } from "node:crypto";
import { readJson } from "../../domain/kubernetes/json/nesting.ts";
import { isRecord } from "../../domain/kubernetes/json/values.ts";
import { RegistryError } from "../../ports/registry.ts";
import { wholeBody } from "../network/responses.ts";
import type { RegistryResponse } from "./exchange.ts";
import { networkError } from "./registry-errors.ts";

export type Fields = Readonly<Record<string, unknown>>;

const algorithms: ReadonlySet<string> = new Set(["sha256", "sha384", "sha512"]);

/** Returns the hash for a digest; undefined for an unknown algorithm. */
export function hashFor(digest: string) {
  const algorithm = digest.slice(0, digest.indexOf(":"));
  return algorithms.has(algorithm) ? createHash(algorithm) : undefined;
}

/** Returns the `sha256:…` of some bytes. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${hash("sha256", bytes)}`;
}

/** Returns the whole body; throws `RegistryError` when it is longer than `limit` bytes. */
export async function readBody({ body }: RegistryResponse, limit: number, what: string): Promise<Buffer> {
  try {
    return await wholeBody(body, limit, () => tooLong(what, limit));
  } catch (error) {
    throw networkError(error, what);
  }
}

/** Returns the error for a body that is too long. */
export function tooLong(what: string, limit: number): RegistryError {
  return new RegistryError("InvalidResponse", `${what}: the response is longer than ${limit} bytes`);
}

/** Throws `RegistryError` unless the bytes match the digest. */
export function checkDigest(bytes: Uint8Array, digest: string, what: string): void {
  const hash = hashFor(digest);
  if (!hash || `${digest.slice(0, digest.indexOf(":"))}:${hash.update(bytes).digest("hex")}` !== digest)
    throw new RegistryError("InvalidResponse", `${what}: the content does not match ${digest.slice(0, 100)}`);
}

/** Parses the bytes as a JSON object; throws `RegistryError` for anything else. */
export function jsonOf(bytes: Uint8Array, what: string): Fields {
  try {
    const value: unknown = readJson(Buffer.from(bytes).toString("utf8"));
    if (isRecord(value)) return value;
  } catch {
    // Not JSON: reported below, without its text.
  }
  throw new RegistryError("InvalidResponse", `${what}: the response is not a JSON object`);
}
