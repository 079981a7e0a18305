import type { Environment } from "../settings/environment.ts";
import { ociRegistry } from "./oci-registry.ts";

/**
 * Opens registries for what may be gone since, or be mirrored since: content with a digest never changes, but it may be
 * removed, and people wait for an image that was missing.
 */
export function openPresentRegistry(environment: Environment): ReturnType<typeof ociRegistry> {
  return ociRegistry({ environment, maxAttempts: 2, contentLifetimeMs: 60_000, missingLifetimeMs: 0 });
}
