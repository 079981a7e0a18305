import { isNested, isWildcard } from "../../images/scope.ts";
import { EntryLookup, pullSources } from "../pull/pull-sources.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";

/** A location of a scope's images that is not a valid reference. */
export type UnusableScope = Readonly<{ policyScope: string; scope: string; location: string }>;

const digest = `sha256:${"a".repeat(64)}`;

/** Returns the repository of a reference inside a scope, and whether its path is invented. */
function sampleOf(scope: string): Readonly<{ repository: string; isInvented: boolean }> {
  const host = isWildcard(scope) ? `matched${scope.slice(1)}` : scope;
  if (!host.includes("/")) return { repository: `${host}/a`, isInvented: true };
  const [named = ""] = host.split("@", 1);
  const tag = named.indexOf(":", named.lastIndexOf("/"));
  return { repository: tag < 0 ? named : named.slice(0, tag), isInvented: false };
}

type Found = Readonly<{
  locations: readonly string[];
  /** Locations that should be references, but are not. */
  unusable: readonly string[];
}>;

function locationsOf(scope: string, entry: RegistryEntry | undefined): Found {
  if (!entry) return { locations: [], unusable: [] };
  const { repository, isInvented } = sampleOf(scope);
  const sources = [{ digest }, { tag: "aaa" }].flatMap((version) =>
    pullSources(entry, { repository, ...version }),
  );
  const locations: string[] = [];
  const unusable: string[] = [];
  for (const { mirror, reference, location } of sources) {
    // A wildcard has no location of its own: the policy's scope is used instead.
    if ((mirror ?? entry).location === "") continue;
    if (!reference) unusable.push(location);
    else locations.push(isInvented ? reference.repository.replace(/\/a$/, "") : reference.repository);
  }
  return { locations, unusable };
}

/**
 * Returns every scope whose images need a signature lookup: the policies' own scopes, all locations from which
 * their images can be pulled, and the same for every entry of registries.conf inside of them. `entries` is
 * undefined when there is no registries.conf besides the template.
 */
export function attachmentScopes(
  policyScopes: readonly string[],
  entries: readonly RegistryEntry[] | undefined,
): Readonly<{ scopes: readonly string[]; unusable: readonly UnusableScope[] }> {
  const scopes = [...policyScopes];
  const unusable: UnusableScope[] = [];
  const lookup = new EntryLookup(entries ?? []);
  for (const policyScope of policyScopes) {
    const inside = (entries ?? []).map(scopeOf).filter((scope) => isNested(scope, policyScope));
    for (const scope of new Set([policyScope, ...inside])) {
      const found = locationsOf(scope, lookup.find(scope));
      for (const location of found.locations) scopes.push(location);
      for (const location of found.unusable) unusable.push({ policyScope, scope, location });
    }
  }
  return { scopes, unusable };
}
