import type { RegistryAccess } from "../../ports/registry.ts";

/** Returns the PEM certificates of authorities to trust for a registry (`host[:port]`) besides the system's own. */
export function authoritiesFor(
  host: string,
  { authorities = "", authoritiesOf = {} }: RegistryAccess,
): string {
  const own = Object.hasOwn(authoritiesOf, host) ? authoritiesOf[host] : undefined;
  return own === undefined ? authorities : [authorities, own].filter((text) => text !== "").join("\n");
}
