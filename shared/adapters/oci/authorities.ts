import type { RegistryAccess } from "../../ports/registry.ts";

/** The certificates of authorities that count for a registry (`host[:port]`) beside the system's own; PEM. */
export function authoritiesFor(
  host: string,
  { authorities = "", authoritiesOf = {} }: RegistryAccess,
): string {
  const own = Object.hasOwn(authoritiesOf, host) ? authoritiesOf[host] : undefined;
  return own === undefined ? authorities : [authorities, own].filter((text) => text !== "").join("\n");
}
