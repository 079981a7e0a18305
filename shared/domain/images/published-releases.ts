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
