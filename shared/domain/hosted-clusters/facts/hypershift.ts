import { compareReleases, type Release, releaseText } from "../../openshift/releases/release.ts";

/*
 * Facts about HyperShift's code, from its branches release-4.14 to release-5.1 and main of 2026-08-22 (3ee9615567, the
 * module v0.1.82). test/parity/copied-facts.test.ts fails when the newest module differs.
 */

/** The Go module with which the facts of this file were compared, and the date of its commit. */
export const hypershiftModule = {
  path: "github.com/openshift/hypershift",
  version: "v0.1.82",
  date: "2026-08-22",
} as const;

/** A catalog that clusters have by default. */
export type DefaultCatalog = Readonly<{
  /** The name of the CatalogSource, and of the tag in the ImageStream. */
  name: string;
  /** The last part of the image's name, such as `redhat-operator-index`, after registry and namespace. */
  repository: string;
  displayName: string;
  priority: number;
  imageAnnotation: string;
  /**
   * The last minor release that has the catalog; some of its patch releases lack the catalog. Absent if every release
   * has it.
   */
  last?: Release;
}>;

/**
 * The default catalogs of all releases, sorted by name. `redhat-marketplace` was removed from main on 2026-08-12 and
 * from release-4.22 on 2026-08-14. Source: hypershift, support/catalogs/images.go and
 * control-plane-operator/hostedclusterconfigoperator/controllers/resources/olm/catalogs.go.
 */
export const knownCatalogs: readonly DefaultCatalog[] = [
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
    name: "redhat-marketplace",
    repository: "redhat-marketplace-index",
    displayName: "Red Hat Marketplace",
    priority: -300,
    imageAnnotation: "hypershift.openshift.io/redhat-marketplace-catalog-image",
    last: { major: 4, minor: 22 },
  },
  {
    name: "redhat-operators",
    repository: "redhat-operator-index",
    displayName: "Red Hat Operators",
    priority: -100,
    imageAnnotation: "hypershift.openshift.io/redhat-operators-catalog-image",
  },
];

/** The newest release for which HyperShift looks for catalogs: `maxCatalogVersion` in support/catalogs/images.go. */
export const newestCatalogRelease: Release = { major: 4, minor: 22 };

/**
 * Returns the first release whose control plane omits the component of a disabled capability. Source:
 * support/capabilities/hosted_control_plane_capabilities.go. release-4.18 (line 18) knows only ImageRegistry.
 * release-4.20 (lines 15 and 28) also knows NodeTuning and Ingress, and its API has the other capabilities.
 */
export function supportedSince(capability: string): Release {
  return capability === "ImageRegistry" ? { major: 4, minor: 18 } : { major: 4, minor: 20 };
}

/** How the control plane of a release writes `spec.capabilities` of the guest's ClusterVersion. */
export type CapabilityForm = Readonly<{
  /** The first release with this form. The form is valid until the release `since` of the next item. */
  since: Release;
  /** When the field is written. Without the field every capability of the release is enabled, even a disabled one. */
  isWritten: "never" | "if ImageRegistry is disabled" | "always";
  /**
   * The older release whose version of openshift/api the control plane contains. The control plane then knows only the
   * capabilities of that older release. Absent if the control plane contains the API of its own release.
   */
  builtWith?: Release;
  /** Capabilities that are off unless `spec.capabilities.enabled` names them. */
  offByDefault: readonly string[];
  readsEnabled: boolean;
}>;

/**
 * How releases of openshift/hypershift write `spec.capabilities`, oldest first.
 *
 * The capabilities come from `vCurrent` in `vendor/github.com/openshift/api/config/v1/types_cluster_version.go` of each
 * branch. release-4.18 has the API of May 2024 (d899f8877d22), which has the capabilities of 4.17.
 *
 * The field is written in control-plane-operator/hostedclusterconfigoperator/controllers/resources/resources.go:
 * release-4.17, line 1159; release-4.18, 1245; release-4.19, 1281; release-4.20, 1389. From 4.23 on it is written in
 * support/capabilities/hosted_control_plane_capabilities.go, line 72.
 */
export const capabilityForms: readonly CapabilityForm[] = [
  {
    since: { major: 4, minor: 12 },
    isWritten: "never",
    offByDefault: [],
    readsEnabled: false,
  },
  {
    since: { major: 4, minor: 18 },
    isWritten: "if ImageRegistry is disabled",
    builtWith: { major: 4, minor: 17 },
    offByDefault: [],
    readsEnabled: false,
  },
  {
    since: { major: 4, minor: 19 },
    isWritten: "if ImageRegistry is disabled",
    offByDefault: [],
    readsEnabled: false,
  },
  {
    since: { major: 4, minor: 20 },
    isWritten: "always",
    offByDefault: ["baremetal"],
    readsEnabled: true,
  },
  {
    since: { major: 4, minor: 23 },
    isWritten: "always",
    offByDefault: ["ClusterAPI", "CompatibilityRequirements", "baremetal"],
    readsEnabled: true,
  },
];

/**
 * The first release in which HyperShift also uses mirrors of registries and namespaces, and applies each mirror to the
 * original name of a release image. Older releases use only mirrors of repositories; to a release image they apply all
 * mirrors, each to the result of the previous one.
 *
 * Source: GetRegistryOverrides in support/util/imagemetadata.go (release-4.16, line 165; release-4.17, line 429), and
 * Lookup in support/releaseinfo/registry_image_content_policies.go (lines 29 and 32).
 */
const widerSourcesSince: Release = { major: 4, minor: 17 };

/** Reports whether a release has the older lookup rules; false if undefined: the main branch's rules then apply. */
export function hasOldLookup(release: Release | undefined): boolean {
  return release !== undefined && compareReleases(release, widerSourcesSince) < 0;
}

/** The first release that uses mirrors of registries and namespaces, as text. */
export const takesWiderSourcesSince: string = releaseText(widerSourcesSince);
