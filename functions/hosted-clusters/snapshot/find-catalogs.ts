import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import type { DefaultCatalog } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { annotationImages } from "#shared/domain/hosted-clusters/olm-catalogs/annotation-images.ts";
import {
  type CatalogLookup,
  catalogCandidates,
  searchCatalog,
} from "#shared/domain/hosted-clusters/olm-catalogs/catalog-search.ts";
import {
  type CatalogOptions,
  catalogRegistry,
  catalogsFromMirrorsAnnotation,
  defaultCatalogsOf,
  fromMirrors,
  releaseOf,
} from "#shared/domain/hosted-clusters/olm-catalogs/default-catalogs.ts";
import {
  type MirroredCatalog,
  mirroredCandidates,
} from "#shared/domain/hosted-clusters/olm-catalogs/mirrored-catalogs.ts";
import { catalogOverrides } from "#shared/domain/hosted-clusters/olm-catalogs/olm-catalogs.ts";
import type { ManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { type Registry, type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import { notFoundReason, readWithMirrorFallback } from "#shared/registry/mirror-fallback.ts";

/** The result of searching registries for a hosted cluster's catalogs. */
export type CatalogFindings =
  /** No search was needed. */
  | Readonly<{ state: "not needed" }>
  | Readonly<{ state: "found"; catalogs: readonly MirroredCatalog[] }>
  /** At least one catalog was not found, so nothing may change. */
  | Readonly<{ state: "incomplete"; messages: readonly string[] }>;

export type CatalogQuery = Readonly<{
  cluster: HostedCluster;
  mirrors: ManagementMirrors;
  mode: "own" | "verify";
  registry: Registry;
  /** Read only if a registry is actually asked. */
  access: () => Promise<RegistryAccess>;
}>;

/** Returns true if a user delegated the catalog annotations to hubrelay. */
export function derivesCatalogs({ annotations }: HostedCluster): boolean {
  return annotations[catalogsFromMirrorsAnnotation] === fromMirrors;
}

/** Looks up an image in a registry; a failure is a result too. */
export type LookUp = (image: string) => Promise<CatalogLookup>;

function lookUpDirectly(registry: Registry, access: RegistryAccess): LookUp {
  return async (image) => {
    try {
      const digest = await registry.digest(image, access);
      return digest === undefined ? { state: "absent" } : { state: "present", digest };
    } catch (error) {
      if (error instanceof RegistryError) return { state: "failed", message: error.message };
      throw error;
    }
  };
}

/** Asks through the mirrors of the management cluster, which imports images as its nodes do. */
function lookUpThroughMirrors(lookUp: LookUp, sources: ManagementMirrors["sources"]): LookUp {
  return async (image) => {
    const failures: CatalogLookup[] = [];
    const found = await readWithMirrorFallback(image, sources, async (reference) => {
      const result = await lookUp(reference);
      if (result.state === "failed") failures.push(result);
      return result.state === "present" ? result : undefined;
    });
    if (found.state === "found") return found.content;
    if (found.state === "unreadable")
      return { state: "failed", message: `${image}: ${notFoundReason(found)}` };
    return failures[0] ?? { state: "absent" };
  };
}

async function findCatalog(
  catalog: DefaultCatalog,
  candidates: readonly string[],
  lookUp: LookUp,
  options: CatalogOptions,
): Promise<MirroredCatalog | string> {
  if (candidates.length === 0)
    return sentence`no mirror of the management cluster covers ${catalogRegistry}/${catalog.repository}`;
  const lookups = new Map<string, CatalogLookup>();
  for (;;) {
    const search = searchCatalog(catalog, candidates, lookups, options);
    if (search.state === "found") return { catalog, image: search.image, digest: search.digest };
    if (search.state === "failed") return search.message;
    lookups.set(search.image, await lookUp(search.image));
  }
}

/** Finds all catalogs, each in its candidates, or reports which were not found. */
export async function findAllCatalogs(
  wanted: readonly DefaultCatalog[],
  candidatesOf: (catalog: DefaultCatalog) => readonly string[],
  lookUp: LookUp,
  options: CatalogOptions = {},
): Promise<CatalogFindings> {
  const found = await Promise.all(
    wanted.map((catalog) => findCatalog(catalog, candidatesOf(catalog), lookUp, options)),
  );
  const messages = found.filter((one) => typeof one === "string");
  const catalogs = found.filter((one) => typeof one !== "string");
  return messages.length > 0 ? { state: "incomplete", messages } : { state: "found", catalogs };
}

/**
 * Finds the catalogs of a hosted cluster: in the mirrors of the management cluster if hubrelay derives its
 * annotations, else where the annotations point if hubrelay owns the cluster. In all other cases it asks no
 * registry.
 */
export async function findCatalogs(query: CatalogQuery): Promise<CatalogFindings> {
  const { cluster, mirrors, mode, registry } = query;
  const derives = derivesCatalogs(cluster);
  const release = releaseOf(cluster.version);
  const isNeeded = derives || (mode === "own" && annotationImages(cluster).state === "absent");
  if (!isNeeded || cluster.disablesDefaultCatalogs || !release) return { state: "not needed" };
  const overrides = catalogOverrides(cluster);
  const candidatesOf = (catalog: DefaultCatalog) =>
    derives ? mirroredCandidates(catalog, release, mirrors) : catalogCandidates(catalog, release, overrides);
  const wanted = defaultCatalogsOf(cluster);
  if (wanted.every((catalog) => candidatesOf(catalog).length === 0))
    return {
      state: "incomplete",
      messages: [`no mirror of the management cluster covers ${catalogRegistry}`],
    };
  const direct = lookUpDirectly(registry, await query.access());
  // Derived catalogs must be in the mirror itself.
  const lookUp = derives ? direct : lookUpThroughMirrors(direct, mirrors.sources);
  return findAllCatalogs(wanted, candidatesOf, lookUp);
}
