/** One of the catalogs that every cluster has by default. */
export type DefaultCatalog = Readonly<{
  /** The name of the CatalogSource and of the ImageStream's tag. */
  name: string;
  /** The image repository below the registry's namespace. */
  repository: string;
  displayName: string;
  priority: number;
  /** The annotation of a HostedCluster with the image to use, by digest. */
  imageAnnotation: string;
}>;

/** The default catalogs by name. Design document 002 has a fourth, `redhat-marketplace`, which no longer exists. */
export const defaultCatalogs: readonly DefaultCatalog[] = [
  {
    name: "certified-operators",
    repository: "certified-operator-index",
    displayName: "Certified Operators",
    priority: -200,
    imageAnnotation: "hypershift.openshift.io/certified-operators-catalog-image",
  },
  {
    name: "community-operators",
    repository: "community-operator-index",
    displayName: "Community Operators",
    priority: -400,
    imageAnnotation: "hypershift.openshift.io/community-operators-catalog-image",
  },
  {
    name: "redhat-operators",
    repository: "redhat-operator-index",
    displayName: "Red Hat Operators",
    priority: -100,
    imageAnnotation: "hypershift.openshift.io/redhat-operators-catalog-image",
  },
];

/** The registry of the catalogs, with its namespace. */
export const catalogRegistry = "registry.redhat.io/redhat";

/** On a HostedCluster: `source=target,…`, alternative locations of the catalogs. */
export const catalogOverridesAnnotation = "hypershift.openshift.io/olm-catalogs-is-registry-overrides";

/** Copied by HyperShift, but unused. */
export const obsoleteMarketplaceAnnotation = "hypershift.openshift.io/redhat-marketplace-catalog-image";

/**
 * Set to `from-mirrors` on a HostedCluster by a user to delegate the catalog annotations to hubrelay, which derives
 * them from the mirrors of the management cluster.
 */
export const catalogsFromMirrorsAnnotation = "hubrelay.dev/olm-catalogs";
export const fromMirrors = "from-mirrors";
