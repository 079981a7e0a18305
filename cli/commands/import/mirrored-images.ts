import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import type { MirrorRule } from "#shared/domain/mirrors/input/rules.ts";
import type { SignedImage } from "#shared/domain/ready/propose-policies.ts";
import { type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import { readInventory } from "#shared/registry/ready/registry-inventory.ts";
import { UsageError } from "../../program/exit-codes.ts";

/** Matches the media types of layers of images; attestations and signatures have others. */
const imageLayer = /image\.(?:layer|rootfs)/;

/**
 * Reads the images that mirrors have, with their signatures, by the names under which nodes pull them. An image in several mirrors
 * appears once for each, since nodes verify it in any of them. Throws `UsageError` if a registry refuses a request.
 */
export async function mirroredImages(
  rules: readonly MirrorRule[],
  access: RegistryAccess,
): Promise<readonly SignedImage[]> {
  const registry = ociRegistry({ environment: process.env, maxAttempts: 2 });
  const found: SignedImage[] = [];
  try {
    for (const { source, mirrors, pullKind } of rules)
      for (const mirror of mirrors)
        for (const one of await readInventory([mirror], { registry, access })) {
          // Nodes verify the images in a list, and not the list.
          if (!one.blobs.some(({ mediaType = "" }) => imageLayer.test(mediaType))) continue;
          const { digest } = one;
          const repository = source + one.repository.slice(mirror.length);
          const manifests = new Map([[digest, await registry.signatures(one.repository, digest, access)]]);
          const names = [{ digest }, ...(pullKind === "digest" ? [] : one.tags.map((tag) => ({ tag })))];
          found.push(...names.map((version) => ({ image: { repository, ...version }, manifests })));
        }
  } catch (error) {
    throw error instanceof RegistryError ? new UsageError(error.message) : error;
  } finally {
    registry.close();
  }
  return found;
}
