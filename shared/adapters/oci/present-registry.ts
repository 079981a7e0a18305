import type { Environment } from "../settings/environment.ts";
import { ociRegistry } from "./oci-registry.ts";

/** Opens registries for what may be gone since: content with a digest never changes, but it may be removed. */
export function openPresentRegistry(environment: Environment): ReturnType<typeof ociRegistry> {
  return ociRegistry({ environment, maxAttempts: 2, contentLifetimeMs: 60_000 });
}
