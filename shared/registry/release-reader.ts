import {
  imageReferencesPath,
  type ReleaseContent,
  readReleaseContent,
} from "../domain/hosted-clusters/cluster/release-content.ts";
import type { ManagementMirrors } from "../domain/hosted-clusters/overrides/management-mirrors.ts";
import type { Registry, RegistryAccess } from "../ports/registry.ts";
import {
  type MirrorLookup,
  readFromCandidates,
  readWithMirrorFallback,
  type TakeCandidate,
  UnfitImage,
} from "./mirror-fallback.ts";

/** What the mirrors of the management cluster, and in the end the source, have of a release. */
export type ReleaseLookup = MirrorLookup<ReleaseContent>;

export type ReleaseReader = Readonly<{
  /** Looks a release image up; registries that fail are passed over, as nodes do. */
  read(image: string, sources: ManagementMirrors["sources"], access?: RegistryAccess): Promise<ReleaseLookup>;
  /** The same by other rules than those of nodes. */
  readFrom(take: TakeCandidate, access?: RegistryAccess): Promise<ReleaseLookup>;
}>;

/** A cache of so many values, the least recently used goes first; a failure is not kept. */
function keepRecent<Value>(capacity: number): (key: string, make: () => Promise<Value>) => Promise<Value> {
  const kept = new Map<string, Promise<Value>>();
  return async (key, make) => {
    const value = kept.get(key) ?? make();
    kept.delete(key);
    kept.set(key, value);
    for (const oldest of kept.keys()) {
      if (kept.size <= capacity) break;
      kept.delete(oldest);
    }
    try {
      return await value;
    } catch (error) {
      if (kept.get(key) === value) kept.delete(key);
      throw error;
    }
  };
}

/**
 * Reads release images through the mirrors. What has been read is kept by digest and credential, at most `capacity`
 * releases: a tag is asked for each time, and nobody is given what was read with another's credential.
 */
export function releaseReader(registry: Registry, { capacity = 64 } = {}): ReleaseReader {
  const keep = keepRecent<ReleaseContent>(capacity);

  async function contentOf(reference: string, access: RegistryAccess): Promise<ReleaseContent | undefined> {
    const digest = await registry.digest(reference, access);
    if (digest === undefined) return undefined;
    return keep(JSON.stringify([reference.replace(/[:@][^/]*$/, ""), digest, access]), async () => {
      const [image, files] = await Promise.all([
        registry.image(reference, access),
        registry.files(reference, [imageReferencesPath], access),
      ]);
      const read = readReleaseContent(image?.labels ?? {}, files.get(imageReferencesPath));
      // Not kept: somebody will push another.
      if ("problem" in read) throw new UnfitImage(read.problem);
      return read;
    });
  }

  return {
    read: (image, sources, access = {}) =>
      readWithMirrorFallback(image, sources, (reference) => contentOf(reference, access)),
    readFrom: (take, access = {}) => readFromCandidates(take, (reference) => contentOf(reference, access)),
  };
}
