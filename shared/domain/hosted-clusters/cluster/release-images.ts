import { sentence } from "../../credentials/redact.ts";
import { parseDockerReference } from "../../images/docker-reference.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import type { HostedCluster } from "./hosted-cluster.ts";
import type { ReleaseContent } from "./release-content.ts";

/** The content of a release image, or why it is not available. */
export type CheckedRelease = ReleaseContent | Readonly<{ problem: string }>;

/** By image; images that were not looked up are absent. */
export type CheckedReleases = ReadonlyMap<string, CheckedRelease>;

/** The release images of a cluster, with the fields that name them. */
function releaseImages({
  releaseImage,
  controlPlaneReleaseImage,
}: HostedCluster): readonly (readonly [path: string, image: string])[] {
  const named = [
    ["spec.release.image", releaseImage],
    ["spec.controlPlaneRelease.image", controlPlaneReleaseImage ?? ""],
  ] as const;
  return named.filter(([, image]) => image !== "");
}

/** Reports release images that are not valid references. */
export function unreadableReleases(cluster: HostedCluster): readonly Issue[] {
  return releaseImages(cluster).flatMap(([path, image]): Issue[] => {
    const parsed = parseDockerReference(image);
    if (!("error" in parsed)) return [];
    return [
      fieldIssue(cluster.object, path, image, {
        code: "InvalidReference",
        message: sentence`The release image is not an image reference: ${parsed.error}`,
        remedy: "Write host[:port]/path:tag or host[:port]/path@digest, the path in lower case.",
      }),
    ];
  });
}

/** Returns the images in a cluster's releases; undefined unless all releases have been read. */
export function payloadOf(
  cluster: HostedCluster,
  releases: CheckedReleases | undefined,
): readonly string[] | undefined {
  const contents = releaseImages(cluster).map(([, image]) => releases?.get(image));
  const read = contents.flatMap((content) => (content && "images" in content ? [content.images] : []));
  return read.length < contents.length ? undefined : read.flatMap((images) => [...images.values()]);
}

/** Reports the releases of a cluster that were looked up and not found. */
export function missingReleases(
  cluster: HostedCluster,
  releases: CheckedReleases | undefined,
): readonly Issue[] {
  return releaseImages(cluster).flatMap(([path, image]): Issue[] => {
    const content = releases?.get(image);
    if (!content || !("problem" in content)) return [];
    return [
      fieldIssue(cluster.object, path, image, {
        code: "ReleaseNotFound",
        message: sentence`The release image cannot be read: ${content.problem}`,
        remedy: "Mirror it, or name a release that the registries have.",
      }),
    ];
  });
}
