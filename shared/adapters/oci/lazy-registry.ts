import type { Registry } from "../../ports/registry.ts";
import type { Environment } from "../settings/environment.ts";

/**
 * Returns registries whose client is loaded at the first request: a function that rarely asks starts sooner. Each
 * request is made once: a reconcile goes on without the response, and a later one asks again.
 */
export function lazyRegistry(environment: Environment): Registry {
  let opened: Promise<Registry> | undefined;
  const open = (): Promise<Registry> => {
    opened ??= import("./oci-registry.ts").then(({ ociRegistry }) =>
      ociRegistry({ environment, maxAttempts: 1 }),
    );
    return opened;
  };
  return {
    digest: async (...request) => (await open()).digest(...request),
    tags: async (...request) => (await open()).tags(...request),
    image: async (...request) => (await open()).image(...request),
    files: async (...request) => (await open()).files(...request),
  };
}
