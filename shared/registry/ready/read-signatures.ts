import pMap, { pMapSkip } from "p-map";
import { tryResolveName } from "../../domain/images/image-name.ts";
import type { JudgedImage } from "../../domain/ready/judge.ts";
import type { SignedImage } from "../../domain/ready/propose-policies.ts";
import { sentence } from "../../domain/text/redact.ts";
import { RegistryError } from "../../ports/registry.ts";
import type { CheckedImages } from "./check-images.ts";
import { accessAt, type LocationRequests, verifiedDigests } from "./read-location.ts";

/** Reads signatures where nodes pull images. Leaves out short names, and images for which a policy requires one. */
export async function readSignatures(
  { images, located }: Pick<CheckedImages, "images" | "located">,
  { contents, access }: Pick<LocationRequests, "contents" | "access">,
): Promise<readonly SignedImage[]> {
  const read = async ({ image: name, status }: JudgedImage, index: number) => {
    const [image, ...others] = tryResolveName(name)?.references ?? [];
    if (!image || others.length > 0 || status === "unsigned") return pMapSkip;
    const { location, parts } = located[index] ?? {};
    if (!location || !parts) return { image, manifests: new Map(), problem: sentence`${name} is ${status}` };
    if (location.signing) return pMapSkip;
    try {
      const found = verifiedDigests(parts).map(
        async (digest) =>
          [
            digest,
            await contents.signatures(location.reference, digest, accessAt(location, access)),
          ] as const,
      );
      return { image, manifests: new Map(await Promise.all(found)) };
    } catch (error) {
      if (error instanceof RegistryError) return { image, manifests: new Map(), problem: error.message };
      throw error;
    }
  };
  return pMap(images, read, { concurrency: 16 });
}
