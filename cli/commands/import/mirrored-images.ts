import pMap from "p-map";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import type { MirrorRule } from "#shared/domain/mirrors/input/rules.ts";
import type { SignedImage } from "#shared/domain/ready/propose-policies.ts";
import type { StoredImage } from "#shared/domain/ready/unneeded.ts";
import { type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import { readInventory } from "#shared/registry/ready/registry-inventory.ts";
import { UsageError } from "../../program/exit-codes.ts";

/** Matches the media types of images' layers. Layers of attestations and signatures have other media types. */
const imageLayer = /image\.(?:layer|rootfs)/;

type Client = Readonly<{ registry: ReturnType<typeof ociRegistry>; access: RegistryAccess }>;

async function signaturesOf(repository: string, digest: string, { registry, access }: Client) {
  try {
    return { manifests: new Map([[digest, await registry.signatures(repository, digest, access)]]) };
  } catch (error) {
    if (!(error instanceof RegistryError) || error.isRetryable) throw error;
    return { manifests: new Map(), problem: error.message };
  }
}

async function imagesAt(
  mirror: string,
  source: string,
  hasTags: boolean,
  client: Client,
): Promise<readonly SignedImage[]> {
  const stored = await readInventory([mirror], client);
  const inLists = stored.flatMap(({ repository, children, tags }) =>
    children.map((child) => ({ image: `${repository}@${child}`, tags })),
  );
  const listsOf = Map.groupBy(inLists, ({ image }) => image);
  const read = async ({ repository: at, digest, tags }: StoredImage): Promise<readonly SignedImage[]> => {
    // If an image is in a manifest list, nodes verify the image by a name of the list.
    const lists = listsOf.get(`${at}@${digest}`) ?? [];
    const allTags = hasTags ? [...tags, ...lists.flatMap((list) => list.tags)] : [];
    const names = [{ digest }, ...[...new Set(allTags)].map((tag) => ({ tag }))];
    const repository = source + at.slice(mirror.length);
    const signatures = await signaturesOf(at, digest, client);
    return names.map((version) => ({ image: { repository, ...version }, ...signatures }));
  };
  const images = stored.filter(({ blobs }) => blobs.some(({ mediaType = "" }) => imageLayer.test(mediaType)));
  return (await pMap(images, read, { concurrency: 16 })).flat();
}

/**
 * Returns the images in mirrors with their signatures: one item for each mirror and each name of an image, since nodes
 * verify an image in any of its mirrors. Throws `UsageError` if a registry refuses a request.
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
        found.push(...(await imagesAt(mirror, source, pullKind !== "digest", { registry, access })));
  } catch (error) {
    throw error instanceof RegistryError ? new UsageError(error.message) : error;
  } finally {
    registry.close();
  }
  return found;
}
