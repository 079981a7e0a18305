import { compareReleases, type Release, releaseText } from "../../openshift/releases/release.ts";

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
