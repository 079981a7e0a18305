import { compareReleases, type Release, releaseText } from "../../releases/release.ts";

/*
 * What hubrelay knows of HyperShift's code, in one place. Read on its branches release-4.14 to release-5.1 and main of
 * 2026-08-22 (3ee9615567, the module v0.1.82). test/parity/copied-facts.test.ts fails when the newest module differs.
 */

/** The module that these facts were compared with, and the date of its commit. */
export const hypershiftModule = {
  path: "github.com/openshift/hypershift",
  version: "v0.1.82",
  date: "2026-08-22",
} as const;

/** One of the catalogs that a cluster has by default. */
export type DefaultCatalog = Readonly<{
  /** The name of the CatalogSource and of the ImageStream's tag. */
  name: string;
  /** The image repository below the registry's namespace. */
  repository: string;
  displayName: string;
  priority: number;
  /** The annotation of a HostedCluster with the image to use, by digest. */
  imageAnnotation: string;
  /** The release that lost it in a z-release: newer ones never had it. Absent if every release has it. */
  last?: Release;
}>;

/**
 * The default catalogs of all releases, by name. From support/catalogs/images.go and
 * control-plane-operator/hostedclusterconfigoperator/controllers/resources/olm/catalogs.go; `redhat-marketplace` was
 * removed from main on 2026-08-12 and from release-4.22 on 2026-08-14.
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

/** The newest release for which catalogs are known to exist: `maxCatalogVersion` in support/catalogs/images.go. */
export const newestCatalogRelease: Release = { major: 4, minor: 22 };

/**
 * The first release that applies `--registry-overrides` by the longest matching prefix; older ones replace text. From
 * support/releaseinfo/registry_mirror_provider.go.
 */
export const replacesPrefixSince: Release = { major: 4, minor: 21 };

/** The first release that applies `--registry-overrides` to the release image itself. From the same file. */
export const replacesReleaseSince: Release = { major: 5, minor: 1 };

/**
 * Returns the first release whose control plane omits the component of a disabled capability. From
 * support/capabilities/hosted_control_plane_capabilities.go: release-4.18, line 18, knows ImageRegistry only;
 * release-4.20, lines 15 and 28, NodeTuning and Ingress as well, and its API the others.
 */
export function supportedSince(capability: string): Release {
  return capability === "ImageRegistry" ? { major: 4, minor: 18 } : { major: 4, minor: 20 };
}

/** How the control plane of a release writes `spec.capabilities` of the guest's ClusterVersion. */
export type CapabilityForm = Readonly<{
  /** The first release with this form; it lasts until the next row. */
  since: Release;
  /** When the field is written. Without it, every capability of the release is on, whatever is disabled. */
  isWritten: "never" | "if ImageRegistry is disabled" | "always";
  /** The release with whose API the control plane was built, if that is older: it knows no newer names. */
  builtWith?: Release;
  /** Capabilities that are off unless `spec.capabilities.enabled` names them. */
  offByDefault: readonly string[];
  /** Whether the control plane reads `spec.capabilities.enabled`. */
  readsEnabled: boolean;
  /** Where the release says so; other releases of the row say the same. */
  source: Readonly<{ branch: string; file: string; line: number }>;
}>;

const writer = "control-plane-operator/hostedclusterconfigoperator/controllers/resources/resources.go";
const calculation = "support/capabilities/hosted_control_plane_capabilities.go";

/**
 * From openshift/hypershift, the oldest release first. The names are those of `vCurrent` in
 * `vendor/github.com/openshift/api/config/v1/types_cluster_version.go` of each branch; release-4.18 has the API of May
 * 2024 (d899f8877d22), which knows what 4.17 knows.
 */
export const capabilityForms: readonly CapabilityForm[] = [
  {
    since: { major: 4, minor: 12 },
    isWritten: "never",
    offByDefault: [],
    readsEnabled: false,
    source: { branch: "release-4.17", file: writer, line: 1159 },
  },
  {
    since: { major: 4, minor: 18 },
    isWritten: "if ImageRegistry is disabled",
    builtWith: { major: 4, minor: 17 },
    offByDefault: [],
    readsEnabled: false,
    source: { branch: "release-4.18", file: writer, line: 1245 },
  },
  {
    since: { major: 4, minor: 19 },
    isWritten: "if ImageRegistry is disabled",
    offByDefault: [],
    readsEnabled: false,
    source: { branch: "release-4.19", file: writer, line: 1281 },
  },
  {
    since: { major: 4, minor: 20 },
    isWritten: "always",
    offByDefault: ["baremetal"],
    readsEnabled: true,
    source: { branch: "release-4.20", file: writer, line: 1389 },
  },
  {
    since: { major: 4, minor: 23 },
    isWritten: "always",
    offByDefault: ["ClusterAPI", "CompatibilityRequirements", "baremetal"],
    readsEnabled: true,
    source: { branch: "release-4.23", file: calculation, line: 72 },
  },
];

/** How the code of a release looks up images through the mirrors of the management cluster. */
export type LookupForm = Readonly<{
  /** The first release with this form; it lasts until the next row. */
  since: Release;
  /** The sources whose mirrors are taken, except for release images: one repository, or a registry or namespace too. */
  sources: "repository" | "any";
  /** Where the release says so; other releases of the row say the same. */
  source: FactSource;
  /** Whether a release image is replaced in its own name each time; else in the result of the mirror before. */
  restartsRelease: boolean;
  releaseSource: FactSource;
}>;

type FactSource = Readonly<{ branch: string; file: string; line: number }>;

const metadata = "support/util/imagemetadata.go";
const releases = "support/releaseinfo/registry_image_content_policies.go";

/**
 * From openshift/hypershift, the oldest release first: GetRegistryOverrides, and Lookup of release images. The code is
 * the same on release-4.14, release-4.15 (line 164) and release-4.16, and its rules are on release-4.17 to main.
 */
export const lookupForms: readonly [LookupForm, ...LookupForm[]] = [
  {
    since: { major: 4, minor: 14 },
    sources: "repository",
    source: { branch: "release-4.16", file: metadata, line: 165 },
    restartsRelease: false,
    releaseSource: { branch: "release-4.16", file: releases, line: 29 },
  },
  {
    since: { major: 4, minor: 17 },
    sources: "any",
    source: { branch: "release-4.17", file: metadata, line: 429 },
    restartsRelease: true,
    releaseSource: { branch: "release-4.17", file: releases, line: 32 },
  },
];

/** The form of HyperShift's main branch, which its operator has: it is usually newer than the control planes. */
export const newestLookupForm: LookupForm = lookupForms.at(-1) ?? lookupForms[0];

/** Returns the form of a release; without one, that of HyperShift's main branch. */
export function lookupFormOf(release: Release | undefined): LookupForm {
  if (!release) return newestLookupForm;
  return lookupForms.findLast(({ since }) => compareReleases(since, release) <= 0) ?? lookupForms[0];
}

/** The first release whose control plane takes the mirrors of a whole registry or namespace, as text. */
export const takesWiderSourcesSince: string = releaseText(newestLookupForm.since);
