import type { Registry } from "../../ports/registry.ts";
import { once } from "../loaded-when-used.ts";
import type { Environment } from "../settings/environment.ts";

/** Returns registries whose client is loaded at first use. A failed request is left to a later reconcile. */
export function lazyRegistry(environment: Environment): Registry {
  const open = once(async () => {
    const { ociRegistry } = await import("./oci-registry.ts");
    return ociRegistry({ environment, maxAttempts: 1 });
  });
  return {
    digest: async (...request) => (await open()).digest(...request),
    image: async (...request) => (await open()).image(...request),
    files: async (...request) => (await open()).files(...request),
  };
}
