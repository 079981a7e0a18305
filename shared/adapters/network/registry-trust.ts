import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { ownValue } from "../../domain/kubernetes/json/values.ts";
import type { RegistryAccess } from "../../ports/registry.ts";

/** A cache by the bundle's text: every request needs a hash, and a bundle has some hundred kilobytes. */
const hashes = new LRUCache<string, string>({ max: 32 });

function hashOf(authorities: string): string {
  const known = hashes.get(authorities);
  if (known !== undefined) return known;
  const digest = hash("sha256", authorities);
  hashes.set(authorities, digest);
  return digest;
}

function ownAuthorities(host: string, { authoritiesOf = {} }: RegistryAccess): string | undefined {
  return ownValue(authoritiesOf, host);
}

/** Reports whether the list has the host (`host`, `host:port` or `*.domain`). Source: containers-registries.conf(5). */
export function isInsecure(host: string, insecureHosts: readonly string[] = []): boolean {
  const name = host.replace(/:\d+$/, "");
  return insecureHosts.some(
    (insecure) =>
      insecure === host ||
      insecure === name ||
      (insecure.startsWith("*.") && name.endsWith(insecure.slice(1)) && name.length >= insecure.length),
  );
}

/** Returns the CA certificates (PEM) to trust for a registry (`host[:port]`) in addition to the system's. */
export function authoritiesFor(host: string, access: RegistryAccess): string {
  const { authorities = "" } = access;
  const own = ownAuthorities(host, access);
  return own === undefined ? authorities : [authorities, own].filter((text) => text !== "").join("\n");
}

/** Returns a short text that is the same whenever `authoritiesFor` returns the same certificates. */
export function authoritiesKey(host: string, access: RegistryAccess): string {
  const own = ownAuthorities(host, access);
  return [access.authorities ?? "", ...(own === undefined ? [] : [own])].map(hashOf).join();
}

/**
 * Returns a text for cache keys that identifies the trusted CAs and the unverified hosts: content from an unverified
 * host must not be used for a request that verifies the host. All hosts count, since a redirect may lead to any.
 */
export function trustKey({
  authorities = "",
  authoritiesOf = {},
  insecureHosts = [],
}: RegistryAccess): string {
  const others = Object.entries(authoritiesOf).map(([host, own]) => [host, hashOf(own)]);
  return JSON.stringify([hashOf(authorities), others.toSorted(), insecureHosts.toSorted()]);
}
