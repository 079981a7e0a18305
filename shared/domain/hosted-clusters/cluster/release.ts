/** An OpenShift release as far as its capabilities and catalogs go: `4.18.3` and `4.18.0-rc.1` are both 4.18. */
export type Release = Readonly<{ major: number; minor: number }>;

/** `4.18`, `4.18.3`, `4.18.0-rc.1+build`: what follows the minor version does not count. Else undefined. */
export function parseRelease(version: string | undefined): Release | undefined {
  const [, major, minor] =
    /^(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})(?:\.\d{1,9}(?:[-+][0-9A-Za-z.+-]+)?)?$/.exec(version ?? "") ?? [];
  return major && minor ? { major: Number(major), minor: Number(minor) } : undefined;
}

/** Below zero when `a` is the older one, zero for the same release. */
export function compareReleases(a: Release, b: Release): number {
  return a.major - b.major || a.minor - b.minor;
}

/** `4.18`. */
export function releaseText({ major, minor }: Release): string {
  return `${major}.${minor}`;
}

/** What release tags have behind the version: the architectures of the payload. */
const architectures = /(?:-(?:multi|x86_64|amd64|aarch64|arm64|ppc64le|s390x))+$/;
const version = /^\d{1,5}\.\d{1,5}\.\d{1,9}(?:-[0-9A-Za-z.-]+)?$/;

/**
 * The version that the tag of a release image names, `4.20.4` for `…/ocp-release:4.20.4-multi`; undefined for
 * other tags and for an image without one.
 */
export function versionInTag(image: string): string | undefined {
  const [named = ""] = image.split("@");
  const name = named.slice(named.lastIndexOf("/") + 1);
  const colon = name.indexOf(":");
  const text = colon < 0 ? "" : name.slice(colon + 1).replace(architectures, "");
  return version.test(text) ? text : undefined;
}
