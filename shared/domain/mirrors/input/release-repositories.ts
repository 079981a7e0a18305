import { type ImageReference, tryParseImageReference } from "../../images/image-reference.ts";
import { isNested } from "../../images/scope.ts";
import { fieldIssue, fieldWarning, type Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { byCodeUnit, fieldsOf, textOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { RegistrySources } from "./read-image.ts";
import { type MirrorRule, neverContactSource } from "./rules.ts";

const openshift = "quay.io/openshift-release-dev";
/** The first major version whose images OpenShift also publishes in `registry.redhat.io/openshift<major>`. */
const firstNamespace = 5;

const releaseRepository = `${openshift}/ocp-release`;

/** Returns the repositories in which OpenShift publishes the images of a version; by default, of OpenShift 4. */
export const repositoriesOf = (version: string | undefined): readonly string[] => [
  releaseRepository,
  ...(publishedRepositories(releaseRepository, version) ?? []),
];

/**
 * Returns OpenShift's repositories for a release's images; undefined if the release image is in another repository. The
 * list may be incomplete: only the release's image-references name all repositories. They show that OpenShift 5 uses
 * the repositories of OpenShift 4 too.
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

/** The cluster's release image. `absent`: the input does not name it. `unreadable`: the value is no full reference. */
export type ReleaseImage =
  | Readonly<{
      state: "known";
      payload: ImageReference;
      /**
       * The images that nodes must be able to pull: the release image, and one from each repository of its components.
       */
      needed: readonly ImageReference[];
      /** False if the repositories of the components are not known. */
      isComplete: boolean;
    }>
  | Readonly<{ state: "absent" }>
  | Readonly<{ state: "unreadable"; value: unknown }>;

/** Where the release image is read from, and the images of the release if they are known. */
export type ReleaseSource = Readonly<{
  clusterVersion?: KubernetesObject;
  /** The release image. It takes precedence over the ClusterVersion. */
  releaseImage?: string;
  /**
   * The images that the release lists in its image-references. If absent, OpenShift's own repositories are assumed for
   * a release image of OpenShift.
   */
  releaseImages?: readonly string[];
}>;

function desiredRelease(clusterVersion: KubernetesObject | undefined): Readonly<Record<string, unknown>> {
  const status = clusterVersion?.status;
  return fieldsOf(fieldsOf(status).desired);
}

/** The digest of components whose own digests are not known. It does not affect the location of an image. */
const anyDigest = `sha256:${"0".repeat(64)}`;

/** Returns the alphabetically first image of each repository. Invalid references are skipped. */
export function imagesByRepository(images: readonly string[]): readonly ImageReference[] {
  const parsed = images.toSorted(byCodeUnit).flatMap((image) => tryParseImageReference(image) ?? []);
  return [...new Map(parsed.toReversed().map((image) => [image.repository, image])).values()].toReversed();
}

function componentImages(
  { repository, tag }: ImageReference,
  version: string | undefined,
  images: readonly string[] | undefined,
): readonly ImageReference[] | undefined {
  if (images) return imagesByRepository(images);
  return publishedRepositories(repository, version ?? tag)?.map((published) => ({
    repository: published,
    digest: anyDigest,
  }));
}

/** Returns the release image, with one image from each repository of its components. */
export function findReleaseImage({
  clusterVersion,
  releaseImage,
  releaseImages,
}: ReleaseSource): ReleaseImage {
  // Only the ClusterVersion of a cluster has a status. A hand-written ClusterVersion does not name the release.
  if (releaseImage === undefined && clusterVersion?.status === undefined) return { state: "absent" };
  const desired = releaseImage === undefined ? desiredRelease(clusterVersion) : { image: releaseImage };
  const value = desired.image;
  const payload = typeof value === "string" ? tryParseImageReference(value) : undefined;
  if (!payload) return { state: "unreadable", value };
  const components = componentImages(payload, textOf(desired.version), releaseImages);
  const others = (components ?? []).filter(({ repository }) => repository !== payload.repository);
  return { state: "known", payload, needed: [payload, ...others], isComplete: components !== undefined };
}

/** Returns the images that nodes must be able to pull; empty if the release image is not known. */
export function neededImages(release: ReleaseImage): readonly ImageReference[] {
  return release.state === "known" ? release.needed : [];
}

/** Returns the issue of a release image that is not a full image reference. */
export function unreadableReleaseImage(value: unknown): Issue {
  return fieldIssue({ kind: "ClusterVersion", name: "version" }, "status.desired.image", value ?? null, {
    code: "InvalidReleaseImage",
    message: "error parsing reference of release image",
    remedy:
      "Find out why the release image is no full reference (host/path@digest); nodes could not pull it.",
  });
}

/** Reports whether rules or lists could keep nodes from pulling some image. */
export function canCutOff(
  rules: readonly Pick<MirrorRule, "source" | "policy" | "mirrors">[],
  { blocked = [], allowed = [] }: RegistrySources,
): boolean {
  return (
    blocked.length > 0 ||
    allowed.length > 0 ||
    rules.some(
      ({ source, policy, mirrors }) =>
        policy === neverContactSource ||
        (source.includes("/") && mirrors.some((mirror) => !mirror.includes("/"))),
    )
  );
}

/** Reports whether a blocked scope, or a source that must not be contacted, contains the image. */
export function isLocked(
  { repository }: ImageReference,
  rules: readonly MirrorRule[],
  { blocked = [] }: RegistrySources,
): boolean {
  return (
    blocked.some(({ scope }) => isNested(repository, scope)) ||
    rules.some(({ source, policy }) => policy === neverContactSource && isNested(repository, source))
  );
}

/** Returns a warning if the repositories of a release's components are not known: hubrelay then cannot check them. */
export function unknownComponents(release: ReleaseImage, problem: string | undefined): readonly Issue[] {
  if (release.state !== "known" || release.isComplete) return [];
  const { repository } = release.payload;
  return [
    fieldWarning({ kind: "ClusterVersion", name: "version" }, "status.desired.image", repository, {
      code: "ReleaseImagesUnknown",
      message: sentence`only ${goQuote(repository)} is checked: it is not known in which repositories the other images of this release are${problem ? `: ${problem}` : ""}`,
      remedy:
        "Check these images yourself; on a hub, mirror-config reads their names from the release once its registry can be asked.",
    }),
  ];
}
