import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import type { DefaultCatalog } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import {
  catalogCandidates,
  catalogRegistry,
  catalogsFromMirrorsAnnotation,
  defaultCatalogsOf,
  fromMirrors,
  searchedReleases,
} from "#shared/domain/hosted-clusters/olm-catalogs/default-catalogs.ts";
import {
  type MirroredCatalog,
  mirroredCandidates,
} from "#shared/domain/hosted-clusters/olm-catalogs/mirrored-catalogs.ts";
import {
  annotationImages,
  catalogOverrides,
} from "#shared/domain/hosted-clusters/olm-catalogs/olm-catalogs.ts";
import { metadataReferences } from "#shared/domain/hosted-clusters/overrides/explain.ts";
import { overridesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hub-overrides.ts";
import { mirrorsOf } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { parseRelease } from "#shared/domain/openshift/releases/release.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { type Registry, type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";

/** The result of searching registries for the catalogs of a hosted cluster. */
export type CatalogFindings =
  | Readonly<{ state: "not needed" }>
  | Readonly<{ state: "found"; catalogs: readonly MirroredCatalog[] }>
  /** At least one catalog was not found. The catalogs must then stay as they are. */
  | Readonly<{ state: "incomplete"; messages: readonly string[] }>;

export type CatalogQuery = Readonly<{
  cluster: HostedCluster;
  mirrorObjects: readonly KubernetesObject[];
  /** The cluster's mode. In verify mode, catalogs are searched only if hubrelay sets the catalog annotations. */
  mode: "own" | "verify";
  registry: Registry;
  /** Reads credentials and trusted authorities; called only before a registry is queried. */
  access: () => Promise<RegistryAccess>;
}>;

/** Reports whether a user delegated the catalog annotations to hubrelay. */
export function derivesCatalogs({ annotations }: HostedCluster): boolean {
  return annotations[catalogsFromMirrorsAnnotation] === fromMirrors;
}

type CatalogLookup =
  | Readonly<{ state: "present"; digest: string }>
  | Readonly<{ state: "absent" }>
  | Readonly<{ state: "failed"; message: string }>;

type LookUp = (image: string) => Promise<CatalogLookup>;

function lookUpDirectly(registry: Registry, access: RegistryAccess): LookUp {
  return async (image) => {
    try {
      const digest = await registry.digest(image, access);
      return digest === undefined ? { state: "absent" } : { state: "present", digest };
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      // Red Hat's registry denies access to an image that it does not have.
      return error.code === "Unauthorized"
        ? { state: "absent" }
        : { state: "failed", message: error.message };
    }
  };
}

/**
 * Looks up an image at the references that HyperShift tries.
 * Behaviour: support/util/imagemetadata.go, which support/catalogs/images.go uses.
 */
function lookUpLikeHypershift(direct: LookUp, { cluster, mirrorObjects }: CatalogQuery): LookUp {
  const { overrides } = overridesLikeHypershift(mirrorObjects);
  const release = parseRelease(cluster.controlPlaneVersion);
  return async (image) => {
    const found = metadataReferences(image, overrides, release);
    if ("problem" in found) return { state: "failed", message: found.problem };
    let last: CatalogLookup = { state: "absent" };
    for (const reference of found.references) {
      last = await direct(reference);
      if (last.state === "present") return last;
    }
    return last;
  };
}

/** Without `skipsFailures`, stops at the first failed lookup, as HyperShift does. */
async function findCatalog(
  catalog: DefaultCatalog,
  candidates: readonly string[],
  lookUp: LookUp,
  { skipsFailures }: Readonly<{ skipsFailures: boolean }>,
): Promise<MirroredCatalog | string> {
  if (candidates.length === 0)
    return sentence`no mirror of the management cluster covers ${catalogRegistry}/${catalog.repository}`;
  const failures: string[] = [];
  for (const image of candidates) {
    const lookup = await lookUp(image);
    if (lookup.state === "present") return { catalog, image, digest: lookup.digest };
    if (lookup.state === "absent") continue;
    if (!skipsFailures) return sentence`failed to get image digest: ${lookup.message}`;
    failures.push(lookup.message);
  }
  const [first] = failures;
  const missing = sentence`failed to fetch image digest for ${searchedReleases} previous versions of ${catalog.name}`;
  if (first === undefined) return missing;
  return sentence`${missing}; ${failures.length} lookups failed, the first: ${first}`;
}

/**
 * Finds the catalogs of a hosted cluster. If hubrelay derives the catalog annotations, searches the mirrors of the
 * management cluster. Otherwise searches as HyperShift's control plane does, but only in own mode.
 */
export async function findCatalogs(query: CatalogQuery): Promise<CatalogFindings> {
  const { cluster, mirrorObjects, mode, registry } = query;
  const derives = derivesCatalogs(cluster);
  const release = parseRelease(cluster.version);
  const isAsked =
    mode === "own" &&
    cluster.olmCatalogPlacement === "management" &&
    annotationImages(cluster).state === "absent";
  if (!(derives || isAsked) || cluster.disablesDefaultCatalogs || !release) return { state: "not needed" };
  const overrides = catalogOverrides(cluster);
  const inMirrors = mirrorsOf(derives ? mirrorObjects : []);
  const wanted = defaultCatalogsOf(cluster).map((catalog) => ({
    catalog,
    candidates: derives
      ? mirroredCandidates(catalog, release, inMirrors)
      : catalogCandidates(catalog, release, overrides),
  }));
  if (wanted.every(({ candidates }) => candidates.length === 0))
    return {
      state: "incomplete",
      messages: [`no mirror of the management cluster covers ${catalogRegistry}`],
    };
  const direct = lookUpDirectly(registry, await query.access());
  // A derived annotation names the mirror itself. So the catalog is not looked up in other mirrors.
  const lookUp = derives ? direct : lookUpLikeHypershift(direct, query);
  const found = await Promise.all(
    wanted.map(({ catalog, candidates }) =>
      findCatalog(catalog, candidates, lookUp, { skipsFailures: derives }),
    ),
  );
  const messages = found.filter((one) => typeof one === "string");
  const catalogs = found.filter((one) => typeof one !== "string");
  return messages.length > 0 ? { state: "incomplete", messages } : { state: "found", catalogs };
}
