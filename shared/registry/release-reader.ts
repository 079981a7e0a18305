import { LRUCache } from "lru-cache";
import {
  imageReferencesPath,
  type ReleaseContent,
  readReleaseContent,
} from "../domain/hosted-clusters/cluster/release-images.ts";
import { withoutVersion } from "../domain/images/image-reference.ts";
import { hostOf } from "../domain/images/scope.ts";
import { sentence } from "../domain/text/redact.ts";
import type { Registry, RegistryAccess } from "../ports/registry.ts";
import { boundedCache } from "./bounded-cache.ts";
import { type MirrorLookup, notFoundReason, readFromLocations, UnfitImage } from "./mirror-fallback.ts";

/** The result of reading a release, from its mirrors or, last, from its source. */
export type ReleaseLookup = MirrorLookup<ReleaseContent>;

export type ReleaseReader = Readonly<{
  /** Reads a release image from the first location that has it. Skips registries that fail. */
  read(locations: readonly string[], access?: RegistryAccess): Promise<ReleaseLookup>;
}>;

/**
 * Returns a reader of release images. It caches at most `capacity` releases, by digest and credentials: no caller gets
 * content that was read with other credentials.
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
      // The failure is not cached, since a corrected image may be pushed.
      if ("problem" in read) throw new UnfitImage(read.problem);
      return read;
    });
  }

  return {
    read: (locations, access = {}) =>
      readFromLocations(locations, (reference) => contentOf(reference, access)),
  };
}

/** The content of a release, or the reason why it is unknown. */
export type ReleaseResult =
  | ReleaseContent
  | Readonly<{
      problem: string;
      /** Whether other credentials or certificates may solve the problem. */
      needsAccess?: boolean;
    }>;

export type ReleaseReaderWithTimeout = Readonly<{
  /** Reads a release image from its locations. After a timeout, images of the same registry are skipped for a while. */
  read(image: string, locations: readonly string[], access?: RegistryAccess): Promise<ReleaseResult>;
}>;

type TimeoutOptions = Readonly<{
  /** The maximum time of one read, in milliseconds. A later result is cached for the next read. */
  waitMs?: number;
  cooldownMs?: number;
  /** The maximum number of registries that are skipped at the same time. */
  capacity?: number;
  now?: () => number;
}>;

/** Returns a reader with a time limit. It returns errors of registries, and skips a registry after a timeout. */
export function releaseReaderWithTimeout(
  reader: ReleaseReader,
  { waitMs = 10_000, cooldownMs = 60_000, capacity = 256, now = Date.now }: TimeoutOptions = {},
): ReleaseReaderWithTimeout {
  const skippedUntil = new LRUCache<string, number>({ max: capacity });

  return {
    async read(image, locations, access) {
      const registry = hostOf(image);
      if ((skippedUntil.get(registry) ?? Number.NEGATIVE_INFINITY) > now())
        return {
          problem: sentence`the registries of ${registry} did not respond in time and are skipped for a while`,
        };
      const { promise: late, resolve } = Promise.withResolvers<undefined>();
      const timer = setTimeout(resolve, waitMs, undefined);
      try {
        const lookup = await Promise.race([reader.read(locations, access), late]);
        if (lookup === undefined) {
          skippedUntil.set(registry, now() + cooldownMs);
          return { problem: sentence`the registries of ${registry} did not respond in time` };
        }
        if (lookup.state === "found") return lookup.content;
        const needsAccess = lookup.state === "not found" && lookup.needsAccess === true;
        return { problem: notFoundReason(lookup), ...(needsAccess ? { needsAccess } : {}) };
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
