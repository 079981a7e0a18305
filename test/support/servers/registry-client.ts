import { onTestFinished } from "vitest";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import { type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import type { ApiCall, ApiScript } from "./scripted-api.ts";
import { basicOf, type ScriptedImage, scriptedRegistry } from "./scripted-registry.ts";
import { certificate } from "./server-certificate.ts";

/** A client that retries without a long wait. */
export const quick = { retryMs: { first: 1, max: 2 } };
/** The credentials in the pull secrets of tests, which no error may show. */
export const secret = basicOf("robot", "p4ssw0rd");

/** Trusts scripted servers with TLS. */
export const trusted: RegistryAccess = { authorities: certificate };

/** A registry with this content and TLS, and a client with the access that trusts it. */
export async function aRegistry(
  held: Readonly<Record<string, ScriptedImage>>,
  guard?: (call: ApiCall) => ApiScript | undefined,
  options: Parameters<typeof ociRegistry>[0] = {},
) {
  const server = await scriptedRegistry(new Map(Object.entries(held)), guard, { isTls: true });
  return { server, host: server.host, access: trusted, registry: aClient(options) };
}

/** The same over plain HTTP: its access lists it as insecure. */
export async function aPlainRegistry(
  held: Readonly<Record<string, ScriptedImage>>,
  guard?: (call: ApiCall) => ApiScript | undefined,
  options: Parameters<typeof ociRegistry>[0] = {},
) {
  const server = await scriptedRegistry(new Map(Object.entries(held)), guard);
  const access: RegistryAccess = { insecureHosts: [server.host] };
  return { server, host: server.host, access, registry: aClient(options) };
}

/** A registry client of the running test. */
export function aClient(options: Parameters<typeof ociRegistry>[0] = {}) {
  const registry = ociRegistry({ ...quick, ...options });
  onTestFinished(() => registry.close());
  return registry;
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
