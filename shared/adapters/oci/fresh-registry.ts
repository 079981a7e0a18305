import type { Environment } from "../settings/environment.ts";
import { ociRegistry } from "./oci-registry.ts";

/**
 * Opens registries whose manifests are cached for at most a minute, and missing ones not at all: an image with a digest
 * never changes, but it may be removed, and people wait for one that was missing.
 */
export function openFreshRegistry(environment: Environment): ReturnType<typeof ociRegistry> {
  return ociRegistry({ environment, maxAttempts: 2, contentLifetimeMs: 60_000, missingLifetimeMs: 0 });
}
