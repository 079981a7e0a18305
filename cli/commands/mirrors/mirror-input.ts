import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { MirrorInput } from "#shared/domain/mirrors/configuration.ts";
import { versionInTag } from "#shared/domain/openshift/releases/release.ts";
import { unknownName } from "../../program/unknown-name.ts";

/** Throws `UsageError` for a pool that is not among the MachineConfigPools, if there are any. */
export function requirePool(objects: readonly KubernetesObject[], pool: string): void {
  const pools = objects.filter((object) => isKind(kinds.MachineConfigPool, object));
  const names = pools.map(({ metadata }) => metadata.name);
  if (names.length > 0 && !names.includes(pool))
    throw unknownName(`no such MachineConfigPool: ${pool}`, pool, names);
}

/** The release whose images nodes must be able to pull. */
export type ReleaseOptions = Readonly<{
  /** The release's image; by default the ClusterVersion's. */
  releaseImage?: string;
  /** The release's version; by default that in the tag of `releaseImage`, or else the ClusterVersion's. */
  releaseVersion?: string;
}>;

/** Returns the options; if they name no version, `release` (a version in the settings) becomes their version. */
export const withRelease = (options: ReleaseOptions, release: string | undefined): ReleaseOptions =>
  release === undefined || givenVersion(options) !== undefined
    ? options
    : { ...options, releaseVersion: release };

/** Returns the version that the options name, directly or in the tag of the image; undefined if they name none. */
export function givenVersion({ releaseImage, releaseVersion }: ReleaseOptions): string | undefined {
  return releaseVersion ?? (releaseImage && versionInTag(releaseImage));
}

/** Returns the release image and version that the options name, as fields of the input. */
export function namedRelease(release: ReleaseOptions): Pick<MirrorInput, "releaseImage" | "releaseVersion"> {
  const { releaseImage } = release;
  const version = givenVersion(release);
  return {
    ...(releaseImage === undefined ? {} : { releaseImage }),
    ...(version ? { releaseVersion: version } : {}),
  };
}

/** Kinds of a live hub that nodes' files are rendered from. */
export const mirrorInputKinds = [...mirrorKinds, kinds.Image, kinds.ClusterVersion];

/** Kinds that change the rendered files on nodes. Many users lack permission to read them, but may read the others. */
export const nodeConfigKinds = [kinds.MachineConfig, kinds.MachineConfigPool, kinds.Infrastructure] as const;
