import { parseDockerReference } from "../../images/docker-reference.ts";
import { atMirror, enclosingScopes } from "../../images/image-scopes.ts";
import type { RegistryOverrides } from "../overrides/overrides.ts";
import { catalogRegistry, type DefaultCatalog } from "./default-catalogs.ts";

const host = catalogRegistry.slice(0, catalogRegistry.indexOf("/"));
const namespace = catalogRegistry.slice(host.length + 1);

/** True for what a catalog's address can begin with: `host[:port][/path]`. */
export function isTarget(target: string): boolean {
  return "reference" in parseDockerReference(`${target}/x`);
}

/**
 * The registries, with their namespaces, that HyperShift looks for catalogs in. Two keys count, and no other: the
 * targets of the namespace take the registry's place, those of the host are put behind. With both keys HyperShift
 * answers at random with the first alone or, as here, with both.
 * Behaviour: computeCatalogImages in support/catalogs/images.go.
 */
export function registriesLikeHypershift(overrides: RegistryOverrides): readonly string[] {
  const ofNamespace = overrides.get(catalogRegistry) ?? [];
  const ofHost = (overrides.get(host) ?? []).map((target) =>
    target.includes("/") ? target : `${target}/${namespace}`,
  );
  const registries = [...ofNamespace, ...ofHost];
  return registries.length > 0 ? registries : [catalogRegistry];
}

/**
 * Where a catalog is to be looked for: its address with the longest source that it begins with replaced by each of
 * the targets, in their order, and last the address itself. Any source counts, a registry, a namespace, a
 * repository or a wildcard, by whole parts of the path. Targets that no address can begin with are left out.
 */
export function repositoriesOf(
  { repository }: DefaultCatalog,
  overrides: RegistryOverrides,
): readonly string[] {
  const own = `${catalogRegistry}/${repository}`;
  const source = enclosingScopes(own).find((scope) => overrides.has(scope)) ?? own;
  const targets = (overrides.get(source) ?? [])
    .filter(isTarget)
    .map((target) => atMirror(own, source, target));
  return [...new Set([...targets, own])];
}
