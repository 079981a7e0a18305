import { withoutVersion } from "../../images/image-reference.ts";
import type { PrecachingSpec } from "../../precache-model/precaching-spec.ts";

/** Sizes in bytes that the user gives: for each cluster's whole download, or for images by name or repository. */
export type GivenSizes = Readonly<{ inAll: number }> | Readonly<{ byImage: ReadonlyMap<string, number> }>;

/**
 * Returns the bytes of a plan's content, or as `missing` the first image without a size. The size of an index
 * includes its operators' images.
 */
export function givenBytes(
  sizes: GivenSizes,
  { platformImage, operatorsIndexes, additionalImages }: PrecachingSpec,
): number | Readonly<{ missing: string }> {
  if ("inAll" in sizes) return sizes.inAll;
  const images = new Set([platformImage, ...operatorsIndexes, ...additionalImages].filter(Boolean));
  let sum = 0;
  for (const image of images) {
    const bytes = sizes.byImage.get(image) ?? sizes.byImage.get(withoutVersion(image));
    if (bytes === undefined) return { missing: image };
    sum += bytes;
  }
  return sum;
}
