import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { MirrorInput } from "#shared/domain/mirrors/configuration.ts";
import { versionInTag } from "#shared/domain/openshift/releases/release.ts";
import { unknownName } from "../../program/unknown-name.ts";

/** Throws `UsageError` if there are MachineConfigPools, but none with this name. */
export function requirePool(objects: readonly KubernetesObject[], pool: string): void {
  const pools = objects.filter((object) => isKind(kinds.MachineConfigPool, object));
  const names = pools.map(({ metadata }) => metadata.name);
  if (names.length > 0 && !names.includes(pool))
    throw unknownName(`no such MachineConfigPool: ${pool}`, pool, names);
}

/** The release whose images nodes must be able to pull. */
export type ReleaseOptions = Readonly<{
  /** The release image; by default the image of the ClusterVersion. */
  releaseImage?: string;
  /** By default, the version in the tag of `releaseImage` or, without such a tag, the ClusterVersion's version. */
  releaseVersion?: string;
}>;

/** Returns the options, with the version `release` if they name no version. */
export const withRelease = (options: ReleaseOptions, release: string | undefined): ReleaseOptions =>
  release === undefined || givenVersion(options) !== undefined
    ? options
    : { ...options, releaseVersion: release };

/** Returns the version that the options name, directly or in the tag of the image; undefined if they name none. */
export function givenVersion({ releaseImage, releaseVersion }: ReleaseOptions): string | undefined {
  return releaseVersion ?? (releaseImage && versionInTag(releaseImage));
}

/** Returns the release image and the version that the options name, as fields of `MirrorInput`. */
export function namedRelease(release: ReleaseOptions): Pick<MirrorInput, "releaseImage" | "releaseVersion"> {
  const { releaseImage } = release;
  const version = givenVersion(release);
  return {
    ...(releaseImage === undefined ? {} : { releaseImage }),
    ...(version ? { releaseVersion: version } : {}),
  };
}

/** Kinds of objects from which nodes' files are rendered. */
export const mirrorInputKinds = [...mirrorKinds, kinds.Image, kinds.ClusterVersion];

/** Kinds of objects that change the rendered files on nodes. Many users may not read these kinds. */
export const nodeConfigKinds = [kinds.MachineConfig, kinds.MachineConfigPool, kinds.Infrastructure] as const;
