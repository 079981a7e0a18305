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

export type CatalogOptions = Readonly<{ compat?: "hypershift" | undefined }>;

type ControlPlane = Pick<HostedCluster, "controlPlaneVersion">;

/** Negative while releases certainly have the catalog, 0 where a z-release or an unknown version decides. */
function ageOf({ last }: DefaultCatalog, { controlPlaneVersion }: ControlPlane) {
  if (!last) return -1;
  const release = parseRelease(controlPlaneVersion);
  return release ? compareReleases(release, last) : 0;
}

/**
 * Returns the default catalogs of a hosted cluster, by name: those of its control plane's release, and all while that is
 * unknown.
 */
export function defaultCatalogsOf(cluster: ControlPlane): readonly DefaultCatalog[] {
  return knownCatalogs.filter((catalog) => ageOf(catalog, cluster) <= 0);
}

/** Returns true if some control planes of the cluster's release have the catalog, and later ones do not. */
export function isUncertain(catalog: DefaultCatalog, cluster: ControlPlane): boolean {
  return ageOf(catalog, cluster) === 0;
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

/** How many releases are searched: the cluster's own and the previous ones. */
export const searchedReleases = 4;

/** SemVer 2.0.0, as strict as HyperShift's parser of the label of a release image. */
const semver =
  /^(0|[1-9]\d{0,18})\.(0|[1-9]\d{0,18})\.(?:0|[1-9]\d{0,18})(?:-(?:0|[1-9]\d{0,18}|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d{0,18}|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

const maxVersionLength = 256;

/** Returns major and minor of a release's version; undefined if it is invalid or unknown. */
export function releaseOf(version: string | undefined): Release | undefined {
  if (version === undefined || version.length > maxVersionLength) return undefined;
  const [, major, minor] = semver.exec(version) ?? [];
  return major && minor ? { major: Number(major), minor: Number(minor) } : undefined;
}

function isNewer(a: Release, b: Release): boolean {
  return a.major > b.major || (a.major === b.major && a.minor > b.minor);
}

/** Returns the release whose catalogs belong to this one: itself, or the newest that has any. */
export function cappedRelease(release: Release): Release {
  return isNewer(release, newestCatalogRelease) ? newestCatalogRelease : release;
}

/** Renders a tag such as `v4.20`. */
export function catalogTag({ major, minor }: Readonly<{ major: number; minor: number | bigint }>): string {
  return `v${major}.${minor}`;
}

/** Returns the tags that HyperShift looks for, the newest first. Its unsigned number wraps around below minor 0. */
export function tagsLikeHypershift(release: Release): readonly string[] {
  const { major, minor } = cappedRelease(release);
  return Array.from({ length: searchedReleases }, (_, back) =>
    catalogTag({ major, minor: BigInt.asUintN(64, BigInt(minor - back)) }),
  );
}

/**
 * Returns the tags to look for, the newest first: the release's own even if this version does not know it, then the
 * previous ones; below minor 0 of a newer major release the newest known one follows.
 */
export function tagsToSearch(release: Release): readonly string[] {
  const tags: string[] = [];
  let next: Release = release;
  while (tags.length < searchedReleases && next.minor >= 0) {
    tags.push(catalogTag(next));
    const before = { major: next.major, minor: next.minor - 1 };
    next = before.minor < 0 && isNewer(next, newestCatalogRelease) ? newestCatalogRelease : before;
  }
  return tags;
}
