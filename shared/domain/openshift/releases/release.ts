/** A minor release of OpenShift: `4.18.3` and `4.18.0-rc.1` are both 4.18. */
export type Release = Readonly<{ major: number; minor: number }>;

/** Returns the release of a version such as `4.18`, `4.18.3` or `4.18.0-rc.1+build`; undefined for any other text. */
export function parseRelease(version: string | undefined): Release | undefined {
  const [, major, minor] =
    /^(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})(?:\.\d{1,9}(?:[-+][0-9A-Za-z.+-]+)?)?$/.exec(version ?? "") ?? [];
  return major && minor ? { major: Number(major), minor: Number(minor) } : undefined;
}

/** Compares two releases for sorting: negative if `a` is older, zero if they are equal, positive if `a` is newer. */
export function compareReleases(a: Release, b: Release): number {
  return a.major - b.major || a.minor - b.minor;
}

/** Returns a release as text, such as `4.18`. */
export function releaseText({ major, minor }: Release): string {
  return `${major}.${minor}`;
}

const architectures = /(?:-(?:multi|x86_64|amd64|aarch64|arm64|ppc64le|s390x)){1,8}$/;

/** Reports whether a text is a complete version, such as `4.20.4` or `4.20.0-rc.1`. */
export function isVersion(text: string): boolean {
  return /^\d{1,5}\.\d{1,5}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]{1,100})?$/.test(text);
}

/** How nodes spell architectures that release tags spell in another way. */
const nodeNames = new Map([
  ["x86_64", "amd64"],
  ["aarch64", "arm64"],
]);

/** Returns the architecture in a release image's tag as nodes name it, or `multi`; undefined if the tag has none. */
export function architectureInTag(image: string): string | undefined {
  const [named = ""] = image.split("@");
  const [found] = architectures.exec(named) ?? [];
  const last = found?.split("-").at(-1);
  return last && (nodeNames.get(last) ?? last);
}

/** Returns the version in a release image's tag, such as `4.20.4` for `…:4.20.4-multi`; undefined if there is none. */
export function versionInTag(image: string): string | undefined {
  const [named = ""] = image.split("@");
  const name = named.slice(named.lastIndexOf("/") + 1);
  const colon = name.indexOf(":");
  const text = colon < 0 ? "" : name.slice(colon + 1).replace(architectures, "");
  return isVersion(text) ? text : undefined;
}
