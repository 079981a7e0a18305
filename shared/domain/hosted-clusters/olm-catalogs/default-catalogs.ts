import { choiceIssues } from "../../issues/annotations.ts";
import type { Issue } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import {
  compareReleases,
  parseRelease,
  type Release,
  releaseText,
} from "../../openshift/releases/release.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { type DefaultCatalog, knownCatalogs, newestCatalogRelease } from "../facts/hypershift.ts";
import type { RegistryOverrides } from "../overrides/environment-text.ts";

type ControlPlane = Pick<HostedCluster, "controlPlaneVersion">;

/** Negative if the control plane's release has the catalog, positive if it does not, 0 if hubrelay cannot know. */
function ageOf({ last }: DefaultCatalog, { controlPlaneVersion }: ControlPlane) {
  if (!last) return -1;
  const release = parseRelease(controlPlaneVersion);
  return release ? compareReleases(release, last) : 0;
}

/** Returns the default catalogs of the control plane's release. If the release is unknown, returns all catalogs. */
export function defaultCatalogsOf(cluster: ControlPlane): readonly DefaultCatalog[] {
  return knownCatalogs.filter((catalog) => ageOf(catalog, cluster) <= 0);
}

/** Reports whether hubrelay cannot know if the control plane has the catalog. */
export function isUncertain(catalog: DefaultCatalog, cluster: ControlPlane): boolean {
  return ageOf(catalog, cluster) === 0;
}

/** Formats the control plane's release, which decides about the catalogs of a hosted cluster. */
export function controlPlaneRelease({ controlPlaneVersion }: ControlPlane): string {
  const release = parseRelease(controlPlaneVersion);
  return release ? releaseText(release) : "an unknown release";
}

/** The registry and namespace of the catalogs. */
export const catalogRegistry = "registry.redhat.io/redhat";

/** This annotation of a HostedCluster sets the locations of the catalogs: `source=target,…`. */
export const catalogOverridesAnnotation = "hypershift.openshift.io/olm-catalogs-is-registry-overrides";

/** Users set this annotation of a HostedCluster to `from-mirrors`. Then hubrelay writes the catalog annotations. */
export const catalogsFromMirrorsAnnotation = "hubrelay.dev/olm-catalogs";
export const fromMirrors = "from-mirrors";

/** Returns an error if the annotation `hubrelay.dev/olm-catalogs` has another value than `from-mirrors`. */
export function fromMirrorsIssues(hostedCluster: KubernetesObject): readonly Issue[] {
  return choiceIssues(hostedCluster, catalogsFromMirrorsAnnotation, [fromMirrors]);
}

/** The number of releases whose catalogs HyperShift tries: the cluster's own release and the releases before it. */
export const searchedReleases = 4;

/** Returns the tags that HyperShift tries, newest first. None is newer than `newestCatalogRelease`. */
export function catalogTags(release: Release): readonly string[] {
  const isNewer = compareReleases(release, newestCatalogRelease) > 0;
  const { major, minor } = isNewer ? newestCatalogRelease : release;
  const minors = Array.from({ length: searchedReleases }, (_, back) => minor - back);
  return minors.filter((one) => one >= 0).map((one) => `v${major}.${one}`);
}

/** The two sources whose overrides HyperShift uses for catalogs. It ignores all other sources. */
export const overrideKeys = [catalogRegistry, "registry.redhat.io"] as const;
const [ofNamespace, ofHost] = overrideKeys;

/**
 * Returns the registries, with namespaces, in which HyperShift looks for catalogs. With both of the `overrideKeys` set,
 * HyperShift randomly uses the first or both; this function uses both.
 * Behaviour: computeCatalogImages in support/catalogs/images.go.
 */
export function catalogRegistries(overrides: RegistryOverrides): readonly string[] {
  const namespace = catalogRegistry.slice(ofHost.length);
  const registries = [
    ...(overrides.get(ofNamespace) ?? []),
    ...(overrides.get(ofHost) ?? []).map((target) => (target.includes("/") ? target : target + namespace)),
  ];
  return registries.length > 0 ? registries : [catalogRegistry];
}

/** Returns the possible images of a catalog, each with a tag, in the order in which HyperShift tries them. */
export function catalogCandidates(
  { repository }: DefaultCatalog,
  release: Release,
  overrides: RegistryOverrides,
): readonly string[] {
  const registries = catalogRegistries(overrides);
  return catalogTags(release).flatMap((tag) =>
    registries.map((registry) => `${registry}/${repository}:${tag}`),
  );
}
