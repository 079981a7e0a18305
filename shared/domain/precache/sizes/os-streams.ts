/**
 * The OS streams of releases, and the tags of their images: machine-config-operator, install/image-references of
 * release-4.21 to 5.2. Releases before 4.21 have the first stream only.
 */
const osStreams = {
  "rhel-9": ["rhel-coreos", "rhel-coreos-extensions"],
  "rhel-10": ["rhel-coreos-10", "rhel-coreos-10-extensions"],
} as const;

/** The bytes that a cluster of an OS stream does not pull, because only images of other streams have them. */
export type StreamSaving = Readonly<{ stream: string; savedBytes: number }>;

/** An image of a plan: its tag, if it is of the release, and its layers by digest with their bytes. */
export type PlannedImage = Readonly<{ tag?: string; layers: ReadonlyMap<string, number> }>;

/** Returns the savings of each OS stream; none unless the images are those of several streams. */
export function streamSavings(images: readonly PlannedImage[]): readonly StreamSaving[] {
  const streams = Object.entries(osStreams);
  const hasTag = (tags: readonly string[]) => (image: PlannedImage) =>
    image.tag !== undefined && tags.includes(image.tag);
  if (!streams.every(([, tags]) => images.some(hasTag(tags)))) return [];
  return streams.map(([stream]) => {
    const isLeftOut = hasTag(streams.flatMap(([other, others]) => (other === stream ? [] : others)));
    const pulled = new Set(
      images.filter((image) => !isLeftOut(image)).flatMap(({ layers }) => [...layers.keys()]),
    );
    const saved = new Map(images.filter(isLeftOut).flatMap(({ layers }) => [...layers]));
    for (const digest of pulled) saved.delete(digest);
    return { stream, savedBytes: [...saved.values()].reduce((sum, size) => sum + size, 0) };
  });
}
