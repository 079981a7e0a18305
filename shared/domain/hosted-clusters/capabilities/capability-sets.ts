import { compareReleases, type Release, releaseText } from "../../releases/release.ts";
import { capabilitiesAddedBy, newestKnownRelease } from "../facts/openshift-api.ts";

/** The capabilities of a release, and how they are known. */
export type CapabilitySet = Readonly<{
  /** Sorted by code unit. */
  names: readonly string[];
  /** The release whose set it is, e.g. `4.18`. */
  of: string;
  /** `release`: this release is in the table; `newest`: it is newer than the table, or unknown. */
  basis: "release" | "newest";
}>;

/** Returns all capabilities that a release knows; for a release beyond the table, those of the newest one. */
export function capabilitySet(release: Release | undefined): CapabilitySet {
  const isKnown = release !== undefined && compareReleases(release, newestKnownRelease) <= 0;
  const upTo = isKnown ? release : newestKnownRelease;
  const names = capabilitiesAddedBy.flatMap(([since, added]) =>
    compareReleases(since, upTo) <= 0 ? added : [],
  );
  return { names: names.sort(), of: releaseText(upTo), basis: isKnown ? "release" : "newest" };
}

/** Returns the release in which a component became a capability; undefined for a name that is not in the table. */
export function capabilitySince(name: string): Release | undefined {
  return capabilitiesAddedBy.find(([, added]) => added.includes(name))?.[0];
}
