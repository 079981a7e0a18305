import pMap from "p-map";
import { tryParseImageReference } from "../../domain/images/image-reference.ts";
import type { JudgedImage } from "../../domain/ready/judge.ts";
import type { SignedImage } from "../../domain/ready/propose-policies.ts";
import { RegistryError } from "../../ports/registry.ts";
import type { CheckedImages } from "./check-images.ts";
import { accessAt, type LocationRequests, verifiedDigests } from "./read-location.ts";

/**
 * Reads the signatures of images from the locations from which nodes pull them. Leaves out images that nodes cannot pull, whose
 * name is short, or for which a policy already requires a signature.
 */
export async function readSignatures(
  { images, located }: Pick<CheckedImages, "images" | "located">,
  { contents, access }: Pick<LocationRequests, "contents" | "access">,
): Promise<readonly SignedImage[]> {
  const read = async ({ image: name, from }: JudgedImage): Promise<SignedImage | undefined> => {
    const { location, parts } = located.get(from ?? "") ?? {};
    const image = tryParseImageReference(name);
    if (!location || !parts || !image || location.signing) return undefined;
    const found = verifiedDigests(parts).map(
      async (digest) =>
        [digest, await contents.signatures(location.reference, digest, accessAt(location, access))] as const,
    );
    try {
      return { image, manifests: new Map(await Promise.all(found)) };
    } catch (error) {
      if (error instanceof RegistryError) return { image, manifests: new Map(), problem: error.message };
      throw error;
    }
  };
  return (await pMap(images, read, { concurrency: 16 })).filter((one) => one !== undefined);
}
