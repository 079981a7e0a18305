import { choiceIssues } from "../../issues/annotation-choice.ts";
import type { Issue } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { compareReleases, parseRelease, releaseText } from "../../releases/release.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { type DefaultCatalog, knownCatalogs } from "../facts/hypershift.ts";

export type CatalogOptions = Readonly<{ compat?: "hypershift" | undefined }>;

type ControlPlane = Pick<HostedCluster, "controlPlaneVersion">;

/** Negative while releases certainly have the catalog, 0 where a z-release or an unknown version decides. */
function ageOf({ last }: DefaultCatalog, { controlPlaneVersion }: ControlPlane, { compat }: CatalogOptions) {
  if (!last) return -1;
  if (compat) return 1;
  const release = parseRelease(controlPlaneVersion);
  return release ? compareReleases(release, last) : 0;
}

/**
 * Returns the default catalogs of a hosted cluster, by name: those of its control plane's release, and all while that is
 * unknown. With `compat: "hypershift"` those of HyperShift's main branch.
 */
export function defaultCatalogsOf(
  cluster: ControlPlane,
  options: CatalogOptions = {},
): readonly DefaultCatalog[] {
  return knownCatalogs.filter((catalog) => ageOf(catalog, cluster, options) <= 0);
}

/** Returns true if some control planes of the cluster's release have the catalog, and later ones do not. */
export function isUncertain(
  catalog: DefaultCatalog,
  cluster: ControlPlane,
  options: CatalogOptions = {},
): boolean {
  return ageOf(catalog, cluster, options) === 0;
}

/** Renders the release that decides which catalogs a hosted cluster has. */
export function controlPlaneRelease({ controlPlaneVersion }: ControlPlane): string {
  const release = parseRelease(controlPlaneVersion);
  return release ? releaseText(release) : "an unknown release";
}

/** The registry of the catalogs, with its namespace. */
export const catalogRegistry = "registry.redhat.io/redhat";

/** On a HostedCluster: `source=target,…`, alternative locations of the catalogs. */
export const catalogOverridesAnnotation = "hypershift.openshift.io/olm-catalogs-is-registry-overrides";

/**
 * Set to `from-mirrors` on a HostedCluster by a user to delegate the catalog annotations to hubrelay, which derives
 * them from the mirrors of the management cluster.
 */
export const catalogsFromMirrorsAnnotation = "hubrelay.dev/olm-catalogs";
export const fromMirrors = "from-mirrors";

/** Returns the error about an annotation with another value. */
export function fromMirrorsIssues(hostedCluster: KubernetesObject): readonly Issue[] {
  return choiceIssues(hostedCluster, catalogsFromMirrorsAnnotation, [fromMirrors]);
}
