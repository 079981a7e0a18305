/** The minor release of OpenShift: `4.18.3` and `4.18.0-rc.1` are both 4.18. */
export type Release = Readonly<{ major: number; minor: number }>;

/** Parses `4.18`, `4.18.3` or `4.18.0-rc.1+build`, of which only major and minor count; undefined for other texts. */
export function parseRelease(version: string | undefined): Release | undefined {
  const [, major, minor] =
    /^(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})(?:\.\d{1,9}(?:[-+][0-9A-Za-z.+-]+)?)?$/.exec(version ?? "") ?? [];
  return major && minor ? { major: Number(major), minor: Number(minor) } : undefined;
}

/** Returns a negative number if `a` is older, and zero for the same release. */
export function compareReleases(a: Release, b: Release): number {
  return a.major - b.major || a.minor - b.minor;
}

/** Renders a release as `4.18`. */
export function releaseText({ major, minor }: Release): string {
  return `${major}.${minor}`;
}

/** The architectures of the payload, which follow the version in release tags. */
const architectures = /(?:-(?:multi|x86_64|amd64|aarch64|arm64|ppc64le|s390x)){1,8}$/;

/** Reports whether a text is a whole version, such as `4.20.4` or `4.20.0-rc.1`. */
export function isVersion(text: string): boolean {
  return /^\d{1,5}\.\d{1,5}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]{1,100})?$/.test(text);
}

/** The names of architectures in tags that differ from those of nodes. */
const nodeNames = new Map([
  ["x86_64", "amd64"],
  ["aarch64", "arm64"],
]);

/** Returns the architecture in a release image's tag under its name on nodes, or `multi`; undefined for other tags. */
export function architectureInTag(image: string): string | undefined {
  const [named = ""] = image.split("@");
  const [found] = architectures.exec(named) ?? [];
  const last = found?.split("-").at(-1);
  return last && (nodeNames.get(last) ?? last);
}

/**
 * Returns the version in the tag of a release image, `4.20.4` for `…/ocp-release:4.20.4-multi`; undefined for other
 * tags and for an image without one.
 */
export function versionInTag(image: string): string | undefined {
  const [named = ""] = image.split("@");
  const name = named.slice(named.lastIndexOf("/") + 1);
  const colon = name.indexOf(":");
  const text = colon < 0 ? "" : name.slice(colon + 1).replace(architectures, "");
  return isVersion(text) ? text : undefined;
}

const openshift = "quay.io/openshift-release-dev";
/** From OpenShift 5 on, images are also in a namespace of their major version. */
const firstNamespace = 5;

const releaseRepository = `${openshift}/ocp-release`;

/**
 * Returns the repositories where OpenShift publishes the images of this version; those of OpenShift 4 for an unknown
 * version. A cluster can be installed from others.
 */
export const repositoriesOf = (version: string | undefined): readonly string[] => [
  releaseRepository,
  ...(publishedRepositories(releaseRepository, version) ?? []),
];

/**
 * Returns the repositories where a publisher is known to keep a release's images, by the repository of the release image;
 * undefined for other publishers. Only reading the release is certain.
 *
 * OpenShift 4 has one repository; a later major version adds its own and uses the earlier ones too, as the image-references
 * of its releases show.
 */
export function publishedRepositories(release: string, version?: string): readonly string[] | undefined {
  if (release !== releaseRepository) return undefined;
  const major = Number(/^(\d{1,2})\./.exec(version ?? "")?.[1] ?? 4);
  const majors = Array.from({ length: Math.max(major - 3, 1) }, (_, index) => index + 4);
  return [
    ...majors.map((one) => `${openshift}/ocp-v${one}.0-art-dev`),
    ...majors.filter((one) => one >= firstNamespace).map((one) => `registry.redhat.io/openshift${one}`),
  ];
}
