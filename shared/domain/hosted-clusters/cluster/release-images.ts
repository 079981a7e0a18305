import { imageProblem } from "../../images/image-name.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { fieldsOf, parseJson, textOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { HostedCluster } from "./hosted-cluster.ts";

/** The path of the file in a release image that lists the release's images. */
export const imageReferencesPath = "release-manifests/image-references";
/** The label of a release image whose value is the release's version. */
export const releaseLabel = "io.openshift.release";

/** The version and the images in a release image. */
export type ReleaseContent = Readonly<{
  /** Such as `4.20.4`; undefined if the release image does not name its version. */
  version: string | undefined;
  /** Image references by component name. */
  images: ReadonlyMap<string, string>;
}>;

function imageOf(tag: unknown): readonly (readonly [string, string])[] {
  const { name, from } = fieldsOf(tag);
  const image = fieldsOf(from).name;
  return typeof name === "string" && typeof image === "string" ? [[name, image]] : [];
}

/** Reads the labels of a release image and its image list, a JSON ImageStream. An invalid list gives a `problem`. */
export function readReleaseContent(
  labels: Readonly<Record<string, string>>,
  imageReferences: string | undefined,
): ReleaseContent | Readonly<{ problem: string }> {
  if (imageReferences === undefined) return { problem: `it has no ${imageReferencesPath}` };
  const stream = parseJson(imageReferences);
  const spec = fieldsOf(stream).spec;
  const tags = fieldsOf(spec).tags;
  if (!Array.isArray(tags)) return { problem: `its ${imageReferencesPath} is not a list of images` };
  const metadata = fieldsOf(fieldsOf(stream).metadata);
  return {
    version: textOf(labels[releaseLabel]) ?? textOf(metadata.name),
    images: new Map(tags.flatMap(imageOf)),
  };
}

/** The content of a release image, or the reason why it cannot be read. */
export type CheckedRelease = ReleaseContent | Readonly<{ problem: string }>;

/** The content of releases, by the reference of the release image. Images that were not looked up are absent. */
export type CheckedReleases = ReadonlyMap<string, CheckedRelease>;

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

/** Returns the release images of a cluster without duplicates. */
export const releasesOf = (cluster: HostedCluster): readonly string[] => [
  ...new Set(releaseImages(cluster).map(([, image]) => image)),
];

/** Returns an issue if `image` is a reference that no node could pull. `path` is the field that has the image. */
export function unreadableRelease(object: KubernetesObject, path: string, image: string): readonly Issue[] {
  const problem = image === "" ? undefined : imageProblem(image);
  return problem ? [fieldIssue(object, path, image, { code: "InvalidReference", ...problem })] : [];
}

/** Returns an issue for each release image of a HostedCluster that no node could pull. */
export const unreadableReleases = (cluster: HostedCluster): readonly Issue[] =>
  releaseImages(cluster).flatMap(([path, image]) => unreadableRelease(cluster.object, path, image));

/** Returns the images in a cluster's releases; undefined unless all its releases were read. */
export function payloadOf(
  cluster: HostedCluster,
  releases: CheckedReleases | undefined,
): readonly string[] | undefined {
  const contents = releaseImages(cluster).map(([, image]) => releases?.get(image));
  const read = contents.flatMap((content) => (content && "images" in content ? [content.images] : []));
  return read.length < contents.length ? undefined : read.flatMap((images) => [...images.values()]);
}

/** Returns an issue for each release image of the cluster that was looked up but cannot be read. */
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
