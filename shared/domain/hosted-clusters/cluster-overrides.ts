import { parseDockerReference } from "../images/docker-reference.ts";
import { withoutVersion } from "../images/image-reference.ts";
import { isSource } from "../images/location-format.ts";
import { enclosingScopes } from "../images/scope.ts";
import { fieldWarning, type Issue } from "../issues/issue.ts";
import { ownValue } from "../kubernetes/json/values.ts";
import { publishedRepositories } from "../mirrors/input/release-repositories.ts";
import { parseRelease, versionInTag } from "../openshift/releases/release.ts";
import { sentence } from "../text/redact.ts";
import type { HostedCluster } from "./cluster/hosted-cluster.ts";
import { hasOldLookup, takesWiderSourcesSince } from "./facts/hypershift.ts";
import { catalogRegistries, defaultCatalogsOf } from "./olm-catalogs/default-catalogs.ts";
import { catalogOverrides } from "./olm-catalogs/olm-catalogs.ts";
import { encodeOverrides, type RegistryOverrides } from "./overrides/environment-text.ts";
import type { HypershiftOverrides } from "./overrides/hub-overrides.ts";

/** The repositories of a hosted cluster's images. */
export type ClusterImages = Readonly<{
  repositories: ReadonlySet<string>;
  /** False if some repositories are unknown. Then any mirror may affect the cluster. */
  isComplete: boolean;
}>;

function catalogRepositories(cluster: HostedCluster): readonly string[] {
  const overrides = catalogOverrides(cluster);
  return defaultCatalogsOf(cluster).flatMap((catalog) => {
    const named = ownValue(cluster.annotations, catalog.imageAnnotation);
    return [
      ...catalogRegistries(overrides).map((registry) => `${registry}/${catalog.repository}`),
      ...(named ? [withoutVersion(named)] : []),
    ];
  });
}

/** Returns the repositories of a cluster's releases and catalogs, and of `payload`, the images in the releases. */
export function imagesOf(cluster: HostedCluster, payload?: readonly string[]): ClusterImages {
  const { releaseImage, controlPlaneReleaseImage } = cluster;
  const releases = [releaseImage, controlPlaneReleaseImage ?? ""].filter((image) => image !== "");
  const versionsOf = (image: string) => {
    const tagged = versionInTag(image);
    return tagged === undefined ? [cluster.version, ...cluster.begunVersions] : [tagged];
  };
  const published = releases.flatMap((image) =>
    versionsOf(image).map((version) => publishedRepositories(withoutVersion(image), version)),
  );
  const payloadImages = payload ?? published.flatMap((repositories) => repositories ?? []);
  return {
    repositories: new Set([
      ...[...releases, ...payloadImages].map(withoutVersion),
      ...catalogRepositories(cluster),
    ]),
    isComplete:
      releases.length > 0 &&
      (payload !== undefined || published.every((repositories) => repositories !== undefined)),
  };
}

/** Returns all registries, namespaces and repositories that contain the images; undefined if some are unknown. */
export function relevantSources({
  repositories,
  isComplete,
}: ClusterImages): ReadonlySet<string> | undefined {
  return isComplete ? new Set([...repositories].flatMap(enclosingScopes)) : undefined;
}

/** The registry overrides of one hosted cluster, which come from the mirrors of the management cluster. */
export type ClusterOverrides = Readonly<{
  overrides: RegistryOverrides;
  /** The value of `OPENSHIFT_IMG_OVERRIDES`. */
  text: string;
  issues: readonly Issue[];
}>;

/**
 * Returns a cluster's overrides: only mirrors of its `images`, so that changes of other mirrors do not change the text.
 * If `images` is incomplete or undefined, returns all mirrors, as HyperShift does.
 */
export function overridesOf(hub: HypershiftOverrides, images?: ClusterImages): ClusterOverrides {
  const relevant = images && relevantSources(images);
  const applies = (source: string) => relevant === undefined || relevant.has(source);
  const overrides = new Map([...hub.overrides].filter(([source]) => applies(source)));
  return {
    overrides,
    text: encodeOverrides(overrides),
    // An issue that names no source may concern any source.
    issues: hub.issues.flatMap(({ issue, source }) =>
      source === undefined || !isSource(source) || applies(source) ? [issue] : [],
    ),
  };
}

function isWider(source: string): boolean {
  const parsed = parseDockerReference(source);
  return !("error" in parsed) && parsed.reference.namespace === "";
}

/** Warns about mirrors of registries and namespaces if the control plane's release ignores such mirrors. */
export function ignoredSources(cluster: HostedCluster, sources: Iterable<string>): readonly Issue[] {
  const { controlPlaneVersion, controlPlaneReleaseImage } = cluster;
  if (!hasOldLookup(parseRelease(controlPlaneVersion))) return [];
  const ignored = [...sources].filter(isWider);
  if (ignored.length === 0) return [];
  const field = controlPlaneReleaseImage ? "spec.controlPlaneRelease.image" : "spec.release.image";
  return [
    fieldWarning(cluster.object, field, ignored, {
      code: "SourceIgnoredByRelease",
      message: sentence`Its control plane of version ${controlPlaneVersion} takes only mirrors of single repositories, except for release images: those of ${ignored.join(", ")} are not used`,
      remedy: sentence`Write rules for the repositories, REGISTRY/NAMESPACE/NAME. HyperShift's operator takes wider sources from ${takesWiderSourcesSince} on, whatever the control plane's release.`,
    }),
  ];
}
