import { createHash } from "node:crypto";
import { isRecord } from "../../domain/json/values.ts";
import { RegistryError } from "../../ports/registry.ts";
import type { RegistryAnswer } from "./exchange.ts";
import { networkError } from "./trouble.ts";

export type Fields = Readonly<Record<string, unknown>>;

const algorithms: ReadonlySet<string> = new Set(["sha256", "sha384", "sha512"]);

/** The hash behind a digest's name; undefined for one that nobody uses. */
export function hashFor(digest: string) {
  const algorithm = digest.slice(0, digest.indexOf(":"));
  return algorithms.has(algorithm) ? createHash(algorithm) : undefined;
}

/** `sha256:…` of some bytes. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** The whole body; throws `RegistryError` when it is longer than `most` bytes. */
export async function readBody({ body }: RegistryAnswer, most: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > most) throw tooLong(what, most);
      chunks.push(bytes);
    }
  } catch (error) {
    throw networkError(error, what);
  }
  return Buffer.concat(chunks);
}

/** A body that is longer than anything of its kind. */
export function tooLong(what: string, most: number): RegistryError {
  return new RegistryError("InvalidAnswer", `${what}: the answer is longer than ${most} bytes`);
}

/** Throws `RegistryError` unless the bytes are what the digest names. */
export function checkDigest(bytes: Uint8Array, digest: string, what: string): void {
  const hash = hashFor(digest);
  if (!hash || `${digest.slice(0, digest.indexOf(":"))}:${hash.update(bytes).digest("hex")}` !== digest)
    throw new RegistryError("InvalidAnswer", `${what}: the content is not that of ${digest.slice(0, 100)}`);
}

/** The JSON object that the bytes are; throws `RegistryError` when they are none. */
export function jsonOf(bytes: Uint8Array, what: string): Fields {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    if (isRecord(value)) return value;
  } catch {
    // not JSON: told below, without its text
  }
  throw new RegistryError("InvalidAnswer", `${what}: the answer is no JSON object`);
}
