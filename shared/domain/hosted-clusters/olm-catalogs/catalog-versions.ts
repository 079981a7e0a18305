import type { Release } from "../../releases/release.ts";
import { newestCatalogRelease } from "../facts/hypershift.ts";

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
