import { parseDockerReference } from "../../images/docker-reference.ts";
import { atMirror, enclosingScopes } from "../../images/scope.ts";
import type { DefaultCatalog } from "../facts/hypershift.ts";
import type { RegistryOverrides } from "../overrides/environment-text.ts";
import { catalogRegistry } from "./default-catalogs.ts";

const host = catalogRegistry.slice(0, catalogRegistry.indexOf("/"));
const namespace = catalogRegistry.slice(host.length + 1);

/** Returns true if a catalog's address can begin with the target: `host[:port][/path]`. */
export function isTarget(target: string): boolean {
  return "reference" in parseDockerReference(`${target}/x`);
}

/**
 * Returns the registries, with their namespaces, in which HyperShift looks for catalogs. Only two keys count: the
 * targets of the namespace replace the registry, those of the host are appended. With both keys HyperShift uses at
 * random only the first or, as here, both. Behaviour: computeCatalogImages in support/catalogs/images.go.
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
 * Returns the repositories of a catalog in the order of the search: its address with the longest matching source
 * replaced by each of the targets, in their order, and finally the address itself. Sources are registries,
 * namespaces, repositories or wildcards, matched by whole parts of the path. Targets that cannot begin an address
 * are left out.
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
