import type { ReleaseContent } from "../domain/hosted-clusters/cluster/release-content.ts";
import type { ManagementMirrors } from "../domain/hosted-clusters/overrides/management-mirrors.ts";
import type { RegistryAccess } from "../ports/registry.ts";
import { whyNotFound } from "./mirror-fallback.ts";
import type { ReleaseReader } from "./release-reader.ts";

/** What a release says of itself, or why that is not known now. */
export type ReleaseAnswer = ReleaseContent | Readonly<{ problem: string }>;

export type ReleaseReaderWithTimeout = Readonly<{
  read(image: string, sources: ManagementMirrors["sources"], access?: RegistryAccess): Promise<ReleaseAnswer>;
}>;

export type TimeoutOptions = Readonly<{
  /** How long one question waits. What comes later is kept by the reader, and answers the next question. */
  waitMs?: number;
  /** How long nobody asks again after such a wait. */
  restMs?: number;
  /** Registries that rest at the same time; the oldest is forgotten. */
  capacity?: number;
  now?: () => number;
}>;

/** The registry of an image name. */
function registryOf(image: string): string {
  const slash = image.indexOf("/");
  return slash < 0 ? image : image.slice(0, slash);
}

/**
 * Reads releases for somebody who has something else to do: a registry that does not answer in time costs one wait,
 * and is left alone for a while by everybody. Never throws for what a registry does.
 */
export function releaseReaderWithTimeout(
  reader: ReleaseReader,
  { waitMs = 10_000, restMs = 60_000, capacity = 256, now = Date.now }: TimeoutOptions = {},
): ReleaseReaderWithTimeout {
  const resting = new Map<string, number>();

  function rest(registry: string): void {
    resting.delete(registry);
    resting.set(registry, now() + restMs);
    for (const oldest of resting.keys()) {
      if (resting.size <= capacity) break;
      resting.delete(oldest);
    }
  }

  return {
    async read(image, sources, access) {
      const registry = registryOf(image);
      if ((resting.get(registry) ?? Number.NEGATIVE_INFINITY) > now())
        return {
          problem: `the registries of ${registry} did not answer in time and are left alone for a while`,
        };
      const { promise: late, resolve } = Promise.withResolvers<undefined>();
      const timer = setTimeout(resolve, waitMs, undefined);
      try {
        const lookup = await Promise.race([reader.read(image, sources, access), late]);
        if (lookup === undefined) {
          rest(registry);
          return { problem: `the registries of ${registry} did not answer in time` };
        }
        return lookup.state === "found" ? lookup.content : { problem: whyNotFound(lookup) };
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
