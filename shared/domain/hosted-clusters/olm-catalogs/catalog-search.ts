import type { Release } from "../cluster/release.ts";
import type { RegistryOverrides } from "../overrides/overrides.ts";
import { registriesLikeHypershift, repositoriesOf } from "./catalog-registries.ts";
import { releasesLookedAt, tagsLikeHypershift, tagsToLookFor } from "./catalog-versions.ts";
import type { DefaultCatalog } from "./default-catalogs.ts";

export type CatalogOptions = Readonly<{ compat?: "hypershift" | undefined }>;

/** What a registry said of one image: its digest, that it is not there, or nothing that helps. */
export type CatalogAnswer =
  | Readonly<{ state: "there"; digest: string }>
  | Readonly<{ state: "absent" }>
  | Readonly<{ state: "failed"; message: string }>;

/** How far the search for a catalog is, after these answers. */
export type CatalogSearch =
  /** This image has to be asked for next. */
  | Readonly<{ state: "ask"; image: string }>
  | Readonly<{ state: "found"; image: string; digest: string; skipped: readonly string[] }>
  | Readonly<{ state: "failed"; message: string }>;

/** The images that a catalog may come from, by tag, in the order in which they are looked for. */
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
  // What the mirrors have of any of these releases comes before the source: whoever has a mirror means it.
  const repositories = repositoriesOf(catalog, overrides);
  const tags = tagsToLookFor(release);
  const mirrors = repositories.slice(0, -1);
  const own = repositories.slice(-1);
  return [mirrors, own].flatMap((group) => tags.flatMap((tag) => group.map((one) => `${one}:${tag}`)));
}

function missing({ name }: DefaultCatalog): string {
  return `failed to fetch image digest for ${releasesLookedAt} previous versions of ${name}`;
}

/**
 * Goes through the candidates with what is known so far. HyperShift gives up at the first registry that fails;
 * otherwise such a registry is passed over, and the search fails only when nothing was found.
 */
export function searchCatalog(
  catalog: DefaultCatalog,
  candidates: readonly string[],
  answers: ReadonlyMap<string, CatalogAnswer>,
  { compat }: CatalogOptions = {},
): CatalogSearch {
  const skipped: string[] = [];
  for (const image of candidates) {
    const answer = answers.get(image);
    if (!answer) return { state: "ask", image };
    if (answer.state === "there") return { state: "found", image, digest: answer.digest, skipped };
    if (answer.state === "failed") {
      if (compat === "hypershift")
        return { state: "failed", message: `failed to get image digest: ${answer.message}` };
      skipped.push(answer.message);
    }
  }
  const [first] = skipped;
  const why = first === undefined ? "" : `; ${skipped.length} answers failed, the first: ${first}`;
  return { state: "failed", message: `${missing(catalog)}${why}` };
}
