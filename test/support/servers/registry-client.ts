import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import { type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import type { ApiCall, ApiScript } from "./scripted-api.ts";
import { basicOf, type ScriptedImage, scriptedRegistry } from "./scripted-registry.ts";

/** A client that retries without a long wait. */
export const quick = { retryMs: { first: 1, longest: 2 } };
/** The credentials in the pull secrets of tests, which no error may show. */
export const secret = basicOf("robot", "p4ssw0rd");

/** A registry with this content, and a client that may speak plain HTTP with it. */
export async function aRegistry(
  held: Readonly<Record<string, ScriptedImage>>,
  guard?: (call: ApiCall) => ApiScript | undefined,
  options: Parameters<typeof ociRegistry>[0] = {},
) {
  const server = await scriptedRegistry(new Map(Object.entries(held)), guard);
  const access: RegistryAccess = { insecureHosts: [server.host] };
  return { server, host: server.host, access, registry: ociRegistry({ ...quick, ...options }) };
}

/** Returns the error of a call. Throws when it succeeds, or with another kind of error. */
export async function refusal(promise: Promise<unknown>): Promise<RegistryError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RegistryError)) throw new Error(`no RegistryError but ${String(error)}`);
  return error;
}
