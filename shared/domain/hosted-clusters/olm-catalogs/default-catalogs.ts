/** One of the catalogs that every cluster has by default. */
export type DefaultCatalog = Readonly<{
  /** Of the CatalogSource, and of the ImageStream's tag. */
  name: string;
  /** Of the image, below the registry's namespace. */
  repository: string;
  displayName: string;
  priority: number;
  /** On a HostedCluster: the image to use, by digest. */
  imageAnnotation: string;
}>;

/** The default catalogs by name. Design document 002 has a fourth, `redhat-marketplace`, which is gone. */
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

/** Where the catalogs come from: the registry with its namespace. */
export const catalogRegistry = "registry.redhat.io/redhat";

/** On a HostedCluster: `source=target,…`, where the catalogs are taken from instead. */
export const catalogOverridesAnnotation = "hypershift.openshift.io/olm-catalogs-is-registry-overrides";

/** Still copied by HyperShift, and read by nobody. */
export const deadMarketplaceAnnotation = "hypershift.openshift.io/redhat-marketplace-catalog-image";

/**
 * A person sets it to `from-mirrors` on a HostedCluster to hand the annotations about its catalogs to hubrelay, which
 * then derives them from the mirrors of the management cluster.
 */
export const catalogsFromMirrorsAnnotation = "hubrelay.dev/olm-catalogs";
export const fromMirrors = "from-mirrors";
