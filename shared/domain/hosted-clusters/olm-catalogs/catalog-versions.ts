import type { Release } from "../cluster/release.ts";

/** The newest release that catalogs are known to be made for. */
const newestCatalogRelease: Release = { major: 4, minor: 22 };
/** How many releases are looked at: the cluster's own, and the ones before it. */
export const releasesLookedAt = 4;

/** SemVer 2.0.0, as strictly as HyperShift reads the label of a release image. */
const semver =
  /^(0|[1-9]\d{0,18})\.(0|[1-9]\d{0,18})\.(?:0|[1-9]\d{0,18})(?:-(?:0|[1-9]\d{0,18}|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d{0,18}|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

const longestVersion = 256;

/** Major and minor of a release's version; undefined when it is none, or nobody tells it. */
export function releaseOf(version: string | undefined): Release | undefined {
  if (version === undefined || version.length > longestVersion) return undefined;
  const [, major, minor] = semver.exec(version) ?? [];
  return major && minor ? { major: Number(major), minor: Number(minor) } : undefined;
}

function isNewer(a: Release, b: Release): boolean {
  return a.major > b.major || (a.major === b.major && a.minor > b.minor);
}

/** The release whose catalogs belong to this one: itself, or the newest that has any. */
export function cappedRelease(release: Release): Release {
  return isNewer(release, newestCatalogRelease) ? newestCatalogRelease : release;
}

/** `v4.20`. */
export function catalogTag({ major, minor }: Readonly<{ major: number; minor: number | bigint }>): string {
  return `v${major}.${minor}`;
}

/** The tags that HyperShift looks for, the newest first. Its unsigned number wraps around below minor 0. */
export function tagsLikeHypershift(release: Release): readonly string[] {
  const { major, minor } = cappedRelease(release);
  return Array.from({ length: releasesLookedAt }, (_, back) =>
    catalogTag({ major, minor: BigInt.asUintN(64, BigInt(minor - back)) }),
  );
}

/**
 * The tags to look for, the newest first: the release's own although nobody knew of it when this was written, the
 * newest known one for a release beyond that, and those before it.
 */
export function tagsToLookFor(release: Release): readonly string[] {
  const tags: string[] = [];
  let next: Release = release;
  while (tags.length < releasesLookedAt && next.minor >= 0) {
    tags.push(catalogTag(next));
    const before = { major: next.major, minor: next.minor - 1 };
    next = before.minor < 0 && isNewer(next, newestCatalogRelease) ? newestCatalogRelease : before;
  }
  return tags;
}
