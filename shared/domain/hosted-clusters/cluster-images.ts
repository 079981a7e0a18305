import { enclosingScopes } from "../images/image-scopes.ts";
import { publishedRepositories } from "../images/published-releases.ts";
import { ownValue } from "../kubernetes/json/values.ts";
import { versionInTag } from "../openshift/releases/release.ts";
import type { HostedCluster } from "./cluster/hosted-cluster.ts";
import { registriesLikeHypershift, repositoriesOf } from "./olm-catalogs/catalog-registries.ts";
import { defaultCatalogsOf } from "./olm-catalogs/default-catalogs.ts";
import { catalogOverrides } from "./olm-catalogs/olm-catalogs.ts";

/** The repositories that a hosted cluster's operators look up in registries. */
export type ClusterImages = Readonly<{
  repositories: ReadonlySet<string>;
  /** False while the location of the release's images is unknown: they may be anywhere. */
  isComplete: boolean;
}>;

/** Returns an image reference without tag and digest. */
export function repositoryOf(image: string): string {
  const at = image.indexOf("@");
  const named = at < 0 ? image : image.slice(0, at);
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  return colon < 0 ? named : named.slice(0, colon);
}

/** Where HyperShift and hubrelay may look for catalogs, and the images that annotations name. */
function catalogRepositories(cluster: HostedCluster): readonly string[] {
  const overrides = catalogOverrides(cluster);
  return defaultCatalogsOf(cluster).flatMap((catalog) => {
    const named = ownValue(cluster.annotations, catalog.imageAnnotation);
    return [
      ...repositoriesOf(catalog, overrides),
      ...registriesLikeHypershift(overrides).map((registry) => `${registry}/${catalog.repository}`),
      ...(named ? [repositoryOf(named)] : []),
    ];
  });
}

/**
 * Returns the repositories that a hosted cluster's operators look up: its releases, the images in them, and its
 * catalogs. `payload` are the images of the releases if they have been read.
 */
export function imagesOf(cluster: HostedCluster, payload?: readonly string[]): ClusterImages {
  const { releaseImage, controlPlaneReleaseImage } = cluster;
  const releases = [releaseImage, controlPlaneReleaseImage ?? ""].filter((image) => image !== "");
  const versionsOf = (image: string) => {
    const tagged = versionInTag(image);
    return tagged === undefined ? [cluster.version, ...cluster.begunVersions] : [tagged];
  };
  const published = releases.flatMap((image) =>
    versionsOf(image).map((version) => publishedRepositories(repositoryOf(image), version)),
  );
  const payloadImages = payload ?? published.flatMap((repositories) => repositories ?? []);
  return {
    repositories: new Set([
      ...[...releases, ...payloadImages].map(repositoryOf),
      ...catalogRepositories(cluster),
    ]),
    isComplete:
      releases.length > 0 &&
      (payload !== undefined || published.every((repositories) => repositories !== undefined)),
  };
}

/** Returns the sources that can match an image of the cluster; undefined if any source can. */
export function relevantSources({
  repositories,
  isComplete,
}: ClusterImages): ReadonlySet<string> | undefined {
  return isComplete ? new Set([...repositories].flatMap(enclosingScopes)) : undefined;
}
