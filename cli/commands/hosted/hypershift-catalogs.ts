import { type CatalogFindings, findAllCatalogs } from "#functions/hosted-clusters/snapshot/find-catalogs.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { annotationImages } from "#shared/domain/hosted-clusters/olm-catalogs/annotation-images.ts";
import {
  type CatalogLookup,
  catalogCandidates,
} from "#shared/domain/hosted-clusters/olm-catalogs/catalog-search.ts";
import {
  defaultCatalogsOf,
  releaseOf,
} from "#shared/domain/hosted-clusters/olm-catalogs/default-catalogs.ts";
import { catalogOverrides } from "#shared/domain/hosted-clusters/olm-catalogs/olm-catalogs.ts";
import type { RegistryOverrides } from "#shared/domain/hosted-clusters/overrides/environment-text.ts";
import { findCandidatesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hypershift-candidates.ts";
import { parseRelease } from "#shared/domain/openshift/releases/release.ts";
import { type Registry, type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";

export type HypershiftCatalogRequest = Readonly<{
  cluster: HostedCluster;
  /** The overrides of the management cluster, as HyperShift reads them. */
  overrides: RegistryOverrides;
  registry: Registry;
  /** Called only before a registry is queried. */
  access: () => Promise<RegistryAccess>;
}>;

const compat = "hypershift";

/** Red Hat's registry denies access to images that it does not have. */
function catalogLookupOf(error: RegistryError): CatalogLookup {
  return error.code === "Unauthorized" ? { state: "absent" } : { state: "failed", message: error.message };
}

/**
 * Queries the locations of an image by HyperShift's rules, its own registry last. Skips mirrors that fail. Behaviour:
 * the digest lookup in support/util/imagemetadata.go and its use in support/catalogs/images.go.
 */
async function lookUp(
  image: string,
  { cluster, overrides, registry }: HypershiftCatalogRequest,
  access: RegistryAccess,
): Promise<CatalogLookup> {
  const release = parseRelease(cluster.controlPlaneVersion);
  const unavailable = new Map<string, string>();
  let own: CatalogLookup = { state: "absent" };
  for (;;) {
    const locations = findCandidatesLikeHypershift(image, overrides, unavailable, release);
    if ("problem" in locations) return { state: "failed", message: locations.problem };
    const reference = locations.candidates.find(({ taken }) => taken)?.reference;
    if (!reference) return own;
    unavailable.set(reference, "it is not available there");
    try {
      const digest = await registry.digest(reference, access);
      if (digest !== undefined) return { state: "present", digest };
      own = { state: "absent" };
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      own = catalogLookupOf(error);
    }
  }
}

/**
 * Finds the catalogs of a hosted cluster as HyperShift's control plane does. Queries no registry if they run in the
 * guest, if annotations name the images, or if the default catalogs are disabled.
 */
export async function findCatalogsLikeHypershift(
  request: HypershiftCatalogRequest,
): Promise<CatalogFindings> {
  const { cluster } = request;
  const release = releaseOf(cluster.version);
  const isAsked =
    cluster.olmCatalogPlacement === "management" && annotationImages(cluster, { compat }).state === "absent";
  if (!isAsked || cluster.disablesDefaultCatalogs || !release) return { state: "not needed" };
  const access = await request.access();
  const overrides = catalogOverrides(cluster);
  return findAllCatalogs(
    defaultCatalogsOf(cluster),
    (catalog) => catalogCandidates(catalog, release, overrides, { compat }),
    async (image) => lookUp(image, request, access),
    { compat },
  );
}
