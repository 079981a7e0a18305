import type { HostedCluster } from "../hosted-cluster.ts";
import { decodeOverrides } from "./environment-text.ts";
import { enclosingScopes } from "./image-scopes.ts";

/** The repositories that a hosted cluster's operators look up in registries. */
export type ClusterImages = Readonly<{
  repositories: ReadonlySet<string>;
  /** False while nobody knows where the images of its release are: then they may be anywhere. */
  isComplete: boolean;
}>;

/**
 * Publishers of releases that keep the images of every release in one repository. Only for these is it known
 * without reading the release.
 */
const publishers: readonly Readonly<{ releases: string; images: string }>[] = [
  {
    releases: "quay.io/openshift-release-dev/ocp-release",
    images: "quay.io/openshift-release-dev/ocp-v4.0-art-dev",
  },
];

const catalogAnnotation = "hypershift.openshift.io/olm-catalogs-is-registry-overrides";
const catalogImages = ["certified-operator-index", "community-operator-index", "redhat-operator-index"];
const catalogRegistry = "registry.redhat.io/redhat";
const imageAnnotations = [
  "hypershift.openshift.io/certified-operators-catalog-image",
  "hypershift.openshift.io/community-operators-catalog-image",
  "hypershift.openshift.io/redhat-operators-catalog-image",
];

/** An image without its tag and digest. */
export function repositoryOf(image: string): string {
  const at = image.indexOf("@");
  const named = at < 0 ? image : image.slice(0, at);
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  return colon < 0 ? named : named.slice(0, colon);
}

/** Where the catalogs may be looked for: in the registry of their publisher and in those of the annotation. */
function catalogRepositories({ annotations }: HostedCluster): readonly string[] {
  const overrides = decodeOverrides(annotations[catalogAnnotation] ?? "");
  const targets = [...(overrides?.values() ?? [])].flat();
  const registries = [catalogRegistry, ...targets.flatMap((target) => [target, `${target}/redhat`])];
  const named = imageAnnotations.flatMap((annotation) => annotations[annotation] ?? []);
  return [
    ...registries.flatMap((registry) => catalogImages.map((image) => `${registry}/${image}`)),
    ...named.map(repositoryOf),
  ];
}

/**
 * The repositories that a hosted cluster's operators look up: its releases, the images in them, its catalogs.
 * `payload` are the images of the releases where they have been read.
 */
export function imagesOf(cluster: HostedCluster, payload?: readonly string[]): ClusterImages {
  const { releaseImage, controlPlaneReleaseImage } = cluster;
  const releases = [releaseImage, controlPlaneReleaseImage ?? ""].filter((image) => image !== "");
  const published = releases.map((image) =>
    publishers.find((publisher) => publisher.releases === repositoryOf(image)),
  );
  const payloadImages = payload ?? published.flatMap((publisher) => publisher?.images ?? []);
  return {
    repositories: new Set([
      ...[...releases, ...payloadImages].map(repositoryOf),
      ...catalogRepositories(cluster),
    ]),
    isComplete:
      releases.length > 0 &&
      (payload !== undefined || published.every((publisher) => publisher !== undefined)),
  };
}

/** The sources that can mean an image of the cluster; undefined when any source can. */
export function relevantSources({
  repositories,
  isComplete,
}: ClusterImages): ReadonlySet<string> | undefined {
  return isComplete ? new Set([...repositories].flatMap(enclosingScopes)) : undefined;
}
