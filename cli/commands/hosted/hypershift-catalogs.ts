import { type CatalogFindings, findAllCatalogs } from "#functions/hosted-clusters/observe/find-catalogs.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { annotationImages } from "#shared/domain/hosted-clusters/olm-catalogs/annotation-images.ts";
import {
  type CatalogLookup,
  catalogCandidates,
} from "#shared/domain/hosted-clusters/olm-catalogs/catalog-search.ts";
import { releaseOf } from "#shared/domain/hosted-clusters/olm-catalogs/catalog-versions.ts";
import { catalogOverrides } from "#shared/domain/hosted-clusters/olm-catalogs/olm-catalogs.ts";
import { findCandidatesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hypershift-candidates.ts";
import type { RegistryOverrides } from "#shared/domain/hosted-clusters/overrides/overrides.ts";
import { type Registry, type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";

export type HypershiftCatalogQuestion = Readonly<{
  cluster: HostedCluster;
  /** Of the management cluster, as HyperShift reads them. */
  overrides: RegistryOverrides;
  registry: Registry;
  /** Read only when a registry is really asked. */
  access: () => Promise<RegistryAccess>;
}>;

const compat = "hypershift";

/** What the image's own place says: Red Hat's registry lets nobody in to what it does not have. */
function answerOf(error: RegistryError): CatalogLookup {
  return error.code === "Unauthorized" ? { state: "absent" } : { state: "failed", message: error.message };
}

/**
 * Asks for an image in the places that HyperShift's rules give, the image's own the last. Mirrors that fail are passed
 * over. Behaviour: the digest lookup in support/util/imagemetadata.go and its use in support/catalogs/images.go.
 */
async function ask(
  image: string,
  { overrides, registry }: HypershiftCatalogQuestion,
  access: RegistryAccess,
): Promise<CatalogLookup> {
  const places = findCandidatesLikeHypershift(image, overrides);
  if ("problem" in places) return { state: "failed", message: places.problem };
  let own: CatalogLookup = { state: "absent" };
  for (const { reference } of places.candidates) {
    if (reference === null) continue;
    try {
      const digest = await registry.digest(reference, access);
      if (digest !== undefined) return { state: "present", digest };
      own = { state: "absent" };
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      own = answerOf(error);
    }
  }
  return own;
}

/**
 * Finds the catalogs of a hosted cluster as HyperShift's control plane does. It asks nobody where they run in the
 * guest, where the annotations name the images, and where the default catalogs are disabled.
 */
export async function findCatalogsLikeHypershift(
  question: HypershiftCatalogQuestion,
): Promise<CatalogFindings> {
  const { cluster } = question;
  const release = releaseOf(cluster.version);
  const isAsked =
    cluster.olmCatalogPlacement === "management" && annotationImages(cluster).state === "absent";
  if (!isAsked || cluster.disablesDefaultCatalogs || !release) return { state: "not needed" };
  const access = await question.access();
  const overrides = catalogOverrides(cluster);
  return findAllCatalogs(
    (catalog) => catalogCandidates(catalog, release, overrides, { compat }),
    async (image) => ask(image, question, access),
    { compat },
  );
}
