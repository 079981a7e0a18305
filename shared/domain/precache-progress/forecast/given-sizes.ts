import { withoutVersion } from "../../images/image-reference.ts";
import type { PrecachingSpec } from "../../precache-model/precaching-spec.ts";

/** What a person says that each cluster pulls, in bytes: in all, or of images by their names or repositories. */
export type GivenSizes = Readonly<{ inAll: number }> | Readonly<{ byImage: ReadonlyMap<string, number> }>;

/**
 * Returns the bytes of a content; the first image without a size where the sizes are of images. An index stands for the
 * images of its operators, too. The size of an image's full name wins over that of its repository.
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
