import type { Release } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import type { DefaultCatalog } from "../facts/hypershift.ts";
import type { RegistryOverrides } from "../overrides/environment-text.ts";
import { registriesLikeHypershift, repositoriesOf } from "./catalog-registries.ts";
import {
  type CatalogOptions,
  searchedReleases,
  tagsLikeHypershift,
  tagsToSearch,
} from "./default-catalogs.ts";

/** The result of looking up one image: its digest, its absence, or a failure. */
export type CatalogLookup =
  | Readonly<{ state: "present"; digest: string }>
  | Readonly<{ state: "absent" }>
  | Readonly<{ state: "failed"; message: string }>;

/** The state of the search for a catalog after these results. */
export type CatalogSearch =
  /** This image has to be looked up next. */
  | Readonly<{ state: "lookup"; image: string }>
  | Readonly<{ state: "found"; image: string; digest: string; skipped: readonly string[] }>
  | Readonly<{ state: "failed"; message: string }>;

/** Returns the images that a catalog may come from, by tag, in the order of the search. */
export function catalogCandidates(
  catalog: DefaultCatalog,
  release: Release,
  overrides: RegistryOverrides,
  { compat }: CatalogOptions = {},
): readonly string[] {
  if (compat === "hypershift") {
    const registries = registriesLikeHypershift(overrides);
    return tagsLikeHypershift(release).flatMap((tag) =>
      registries.map((registry) => `${registry}/${catalog.repository}:${tag}`),
    );
  }
  // Mirrors come before the source for all of these releases: mirrored catalogs are preferred.
  const repositories = repositoriesOf(catalog, overrides);
  const tags = tagsToSearch(release);
  const mirrors = repositories.slice(0, -1);
  const own = repositories.slice(-1);
  return [mirrors, own].flatMap((group) => tags.flatMap((tag) => group.map((one) => `${one}:${tag}`)));
}

function missing({ name }: DefaultCatalog): string {
  return sentence`failed to fetch image digest for ${searchedReleases} previous versions of ${name}`;
}

/**
 * Evaluates the candidates with the results so far. HyperShift stops at the first registry that fails; otherwise
 * such a registry is skipped, and the search fails only if nothing was found.
 */
export function searchCatalog(
  catalog: DefaultCatalog,
  candidates: readonly string[],
  lookups: ReadonlyMap<string, CatalogLookup>,
  { compat }: CatalogOptions = {},
): CatalogSearch {
  const skipped: string[] = [];
  for (const image of candidates) {
    const lookup = lookups.get(image);
    if (!lookup) return { state: "lookup", image };
    if (lookup.state === "present") return { state: "found", image, digest: lookup.digest, skipped };
    if (lookup.state === "failed") {
      if (compat === "hypershift")
        return { state: "failed", message: sentence`failed to get image digest: ${lookup.message}` };
      skipped.push(lookup.message);
    }
  }
  const [first] = skipped;
  const why = first === undefined ? "" : sentence`; ${skipped.length} lookups failed, the first: ${first}`;
  return { state: "failed", message: `${missing(catalog)}${why}` };
}
