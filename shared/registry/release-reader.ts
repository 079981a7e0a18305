import {
  imageReferencesPath,
  type ReleaseContent,
  readReleaseContent,
} from "../domain/hosted-clusters/cluster/release-images.ts";
import type { ManagementMirrors } from "../domain/hosted-clusters/overrides/management-mirrors.ts";
import { withoutVersion } from "../domain/images/image-reference.ts";
import type { Registry, RegistryAccess } from "../ports/registry.ts";
import { boundedCache } from "./bounded-cache.ts";
import {
  type MirrorLookup,
  readFromLocations,
  readWithMirrorFallback,
  UnfitImage,
} from "./mirror-fallback.ts";

/** A release as found at the mirrors of the management cluster or, last, at its source. */
export type ReleaseLookup = MirrorLookup<ReleaseContent>;

export type ReleaseReader = Readonly<{
  /** Reads a release image; registries that fail are skipped, as nodes do. */
  read(image: string, mirrors: ManagementMirrors, access?: RegistryAccess): Promise<ReleaseLookup>;
  /** The same with other rules than those of nodes. */
  readFrom(locations: readonly string[], access?: RegistryAccess): Promise<ReleaseLookup>;
}>;

/**
 * Reads release images through the mirrors. Contents are cached by digest and credential, at most `capacity` releases:
 * a tag is resolved each time, and no caller gets what was read with another credential.
 */
export function releaseReader(registry: Registry, { capacity = 64 } = {}): ReleaseReader {
  const contents = boundedCache<ReleaseContent>({ capacity });

  async function contentOf(reference: string, access: RegistryAccess): Promise<ReleaseContent | undefined> {
    const digest = await registry.digest(reference, access);
    if (digest === undefined) return undefined;
    return contents.get(JSON.stringify([withoutVersion(reference), digest, access]), async () => {
      const [image, files] = await Promise.all([
        registry.image(reference, access),
        registry.files(reference, [imageReferencesPath], access),
      ]);
      const read = readReleaseContent(image?.labels ?? {}, files.get(imageReferencesPath));
      // Not cached: a fixed image may be pushed.
      if ("problem" in read) throw new UnfitImage(read.problem);
      return read;
    });
  }

  return {
    read: (image, mirrors, access = {}) =>
      readWithMirrorFallback(image, mirrors, (reference) => contentOf(reference, access)),
    readFrom: (locations, access = {}) =>
      readFromLocations(locations, (reference) => contentOf(reference, access)),
  };
}
