import type { RegistryAccess } from "../../ports/registry.ts";

/**
 * Reports whether a host (`host[:port]`) needs no valid certificate: it is listed with or without its port, or is below
 * a domain that is listed as `*.domain`. Source: containers-registries.conf(5), into which OpenShift's image
 * configuration writes insecure registries.
 */
export function isInsecure(host: string, insecureHosts: readonly string[] = []): boolean {
  const name = host.replace(/:\d+$/, "");
  return insecureHosts.some(
    (insecure) =>
      insecure === host ||
      insecure === name ||
      (insecure.startsWith("*.") && name.endsWith(insecure.slice(1)) && name.length >= insecure.length),
  );
}

/** Returns the PEM certificates of authorities to trust for a registry (`host[:port]`) besides the system's own. */
export function authoritiesFor(
  host: string,
  { authorities = "", authoritiesOf = {} }: RegistryAccess,
): string {
  const own = Object.hasOwn(authoritiesOf, host) ? authoritiesOf[host] : undefined;
  return own === undefined ? authorities : [authorities, own].filter((text) => text !== "").join("\n");
}

/**
 * Returns a text that is the same only for the same trust, for cache keys: what was read from an unverified host must
 * not be used for a request that verifies it. It covers all hosts, because registries redirect and name token services.
 */
export function trustKey({
  authorities = "",
  authoritiesOf = {},
  insecureHosts = [],
}: RegistryAccess): string {
  return JSON.stringify([authorities, Object.entries(authoritiesOf).toSorted(), insecureHosts.toSorted()]);
}
