import { readRegularFile } from "#shared/adapters/file-text.ts";
import { readReleaseContent } from "#shared/domain/hosted-clusters/cluster/release-images.ts";
import { isRecord, parseJson } from "#shared/domain/kubernetes/json/values.ts";
import type { MirrorInput } from "#shared/domain/mirrors/configuration.ts";
import { versionInTag } from "#shared/domain/openshift/releases/release.ts";
import { unreadable } from "../../io/input-text.ts";
import { UsageError } from "../../program/exit-codes.ts";

/** The release whose images nodes must be able to pull. */
export type ReleaseOptions = Readonly<{
  /** Absent: that of the ClusterVersion. */
  releaseImage?: string;
  /** Absent: the version in the tag of `releaseImage`, or what the ClusterVersion runs. */
  releaseVersion?: string;
  /** A file with the release's image-references, or the output of `oc adm release info -o json`. */
  imageReferences?: string;
}>;

async function imagesIn(path: string): Promise<readonly string[]> {
  const text = await readRegularFile(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const parsed = parseJson(text);
  const stream = isRecord(parsed) && parsed.references ? JSON.stringify(parsed.references) : text;
  const content = readReleaseContent({}, stream);
  if ("problem" in content)
    throw new UsageError(
      `--image-references ${path}: not the release-manifests/image-references of a release, nor the output of oc adm release info -o json`,
    );
  return [...content.images.values()];
}

/** Returns the options with the release that settings have for a cluster, unless they name one. */
export const withRelease = (options: ReleaseOptions, release: string | undefined): ReleaseOptions =>
  release === undefined || givenVersion(options) !== undefined
    ? options
    : { ...options, releaseVersion: release };

/** Returns the version that the options name. */
export function givenVersion({ releaseImage, releaseVersion }: ReleaseOptions): string | undefined {
  return releaseVersion ?? (releaseImage && versionInTag(releaseImage));
}

/** Returns the release that the options name. */
export function namedRelease(release: ReleaseOptions): Pick<MirrorInput, "releaseImage" | "releaseVersion"> {
  const { releaseImage } = release;
  const version = givenVersion(release);
  return {
    ...(releaseImage === undefined ? {} : { releaseImage }),
    ...(version ? { releaseVersion: version } : {}),
  };
}

/** Returns the release of the options, for manifests whose own is `clusterVersion`. Throws `UsageError`. */
export async function releaseInput(
  release: ReleaseOptions,
  { clusterVersion }: Pick<MirrorInput, "clusterVersion">,
): Promise<Pick<MirrorInput, "releaseImage" | "releaseVersion" | "releaseImages">> {
  const { releaseImage, imageReferences } = release;
  if (imageReferences !== undefined && releaseImage === undefined && !clusterVersion)
    throw new UsageError(
      "--image-references needs --release-image, or the ClusterVersion among the manifests.",
    );
  return {
    ...namedRelease(release),
    ...(imageReferences === undefined ? {} : { releaseImages: await imagesIn(imageReferences) }),
  };
}
