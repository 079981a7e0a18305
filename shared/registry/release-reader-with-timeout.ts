import { LRUCache } from "lru-cache";
import type { ReleaseContent } from "../domain/hosted-clusters/cluster/release-images.ts";
import type { ManagementMirrors } from "../domain/hosted-clusters/overrides/management-mirrors.ts";
import { sentence } from "../domain/text/redact.ts";
import type { RegistryAccess } from "../ports/registry.ts";
import { notFoundReason } from "./mirror-fallback.ts";
import type { ReleaseReader } from "./release-reader.ts";

/** The content of a release, or why it is not known now. */
export type ReleaseResult =
  | ReleaseContent
  | Readonly<{
      problem: string;
      /** Credentials or certificates may help. */
      needsAccess?: boolean;
    }>;

export type ReleaseReaderWithTimeout = Readonly<{
  read(image: string, mirrors: ManagementMirrors, access?: RegistryAccess): Promise<ReleaseResult>;
}>;

export type TimeoutOptions = Readonly<{
  /** How long one read waits. A later result is cached by the reader, for the next read. */
  waitMs?: number;
  /** How long a registry is skipped after a timeout. */
  cooldownMs?: number;
  /** The maximum number of skipped registries; the oldest is dropped. */
  capacity?: number;
  now?: () => number;
}>;

function registryOf(image: string): string {
  const slash = image.indexOf("/");
  return slash < 0 ? image : image.slice(0, slash);
}

/**
 * Reads releases with a bounded wait: a registry that does not respond in time costs one wait, and all callers skip it
 * for a while. Never throws for an error of a registry.
 */
export function releaseReaderWithTimeout(
  reader: ReleaseReader,
  { waitMs = 10_000, cooldownMs = 60_000, capacity = 256, now = Date.now }: TimeoutOptions = {},
): ReleaseReaderWithTimeout {
  const skippedUntil = new LRUCache<string, number>({ max: capacity });

  return {
    async read(image, mirrors, access) {
      const registry = registryOf(image);
      if ((skippedUntil.get(registry) ?? Number.NEGATIVE_INFINITY) > now())
        return {
          problem: sentence`the registries of ${registry} did not respond in time and are skipped for a while`,
        };
      const { promise: late, resolve } = Promise.withResolvers<undefined>();
      const timer = setTimeout(resolve, waitMs, undefined);
      try {
        const lookup = await Promise.race([reader.read(image, mirrors, access), late]);
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
