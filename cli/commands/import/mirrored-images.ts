import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readMirrorObjects } from "#shared/domain/mirrors/input/read-mirror-sets.ts";
import type { SignedImage } from "#shared/domain/ready/propose-policies.ts";
import { type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import { readInventory } from "#shared/registry/ready/registry-inventory.ts";
import { UsageError } from "../../program/exit-codes.ts";

/**
 * Reads the images that the mirrors of these objects have, with their signatures, by the names under which nodes pull them by
 * digest. Throws `UsageError` if a registry refuses a request.
 */
export async function mirroredImages(
  objects: readonly KubernetesObject[],
  access: RegistryAccess,
): Promise<readonly SignedImage[]> {
  const registry = ociRegistry({ environment: process.env, maxAttempts: 2 });
  const found = new Map<string, SignedImage>();
  try {
    for (const { source, mirrors } of readMirrorObjects(objects).rules)
      for (const mirror of source.startsWith("*") ? [] : mirrors)
        for (const { repository, digest, blobs, tags } of await readInventory([mirror], {
          registry,
          access,
        })) {
          // Lists have no blobs: nodes verify the images in them.
          const isAttached = tags.length > 0 && tags.every((tag) => /^sha256-[0-9a-f]{64}\./.test(tag));
          if (blobs.length === 0 || isAttached) continue;
          const signatures = await registry.signatures(repository, digest, access);
          const image = { repository: source + repository.slice(mirror.length), digest };
          found.set(`${image.repository}@${digest}`, { image, manifests: new Map([[digest, signatures]]) });
        }
  } catch (error) {
    throw error instanceof RegistryError ? new UsageError(error.message) : error;
  } finally {
    registry.close();
  }
  return [...found.values()];
}
