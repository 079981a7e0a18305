import type { ManagementMirrors } from "../domain/hosted-clusters/overrides/management-mirrors.ts";
import type { NotCounted } from "../domain/precache/model/precache-sizes.ts";
import type { PrecachingSpec } from "../domain/precache/model/precaching-spec.ts";
import type { MeasuredImages } from "../domain/precache/sizes/cluster-sizes.ts";
import { readExclusion } from "../domain/precache/sizes/exclude-patterns.ts";
import { type ImageLayer, type Registry, type RegistryAccess, RegistryError } from "../ports/registry.ts";
import { type MirrorLookup, readWithMirrorFallback, whyNotFound } from "./mirror-fallback.ts";
import { releaseReader } from "./release-reader.ts";

/** Images that are asked for at the same time. */
const imagesAtOnce = 8;
/** After so many images in a row without an answer a registry is not asked for the rest: each waits for long. */
const mostSilences = 3;

export type ImageSizes = Readonly<{
  /** The layers of all images that a cluster of this architecture pulls, as far as registries tell. */
  measure(spec: PrecachingSpec, architecture: string): Promise<MeasuredImages>;
}>;

/** Does something with every item, so many at the same time; answers are in the order of the items. */
async function inLanes<Item, Answer>(
  items: readonly Item[],
  use: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  // One iterator for all lanes: each item is taken once.
  const left = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of left) answers[index] = await use(item);
  };
  await Promise.all(Array.from({ length: imagesAtOnce }, lane));
  return answers;
}

const isSilence = (error: unknown): boolean =>
  error instanceof RegistryError && ["Timeout", "Unavailable"].includes(error.code);

/** Asks as `ask` does, as long as the registry of a reference answers at all. */
function whileAnswering<Answer>(
  ask: (reference: string, architecture: string) => Promise<Answer>,
): (reference: string, architecture: string) => Promise<Answer> {
  const silences = new Map<string, number>();
  return async (reference, architecture) => {
    const [host = ""] = reference.split("/");
    const before = silences.get(host) ?? 0;
    if (before >= mostSilences)
      throw new RegistryError("Unavailable", `${reference}: the registry did not answer for other images`);
    try {
      const answer = await ask(reference, architecture);
      silences.delete(host);
      return answer;
    } catch (error) {
      if (isSilence(error)) silences.set(host, (silences.get(host) ?? 0) + 1);
      throw error;
    }
  };
}

function uncertainPattern(name: string): NotCounted {
  return {
    name,
    reason: "this pattern is only applied on the cluster; images that it leaves out are counted",
  };
}

/**
 * Asks registries for the sizes of images, through the mirrors. What one image or release is, is asked once for each
 * architecture, however many plans have it.
 */
export function imageSizes(
  registry: Registry,
  sources: ManagementMirrors["sources"],
  access: RegistryAccess,
): ImageSizes {
  const releases = releaseReader(registry);
  const known = new Map<string, Promise<MirrorLookup<readonly ImageLayer[]>>>();
  const ask = whileAnswering(
    async (reference, architecture) => (await registry.image(reference, access, { architecture }))?.layers,
  );

  function layersOf(image: string, architecture: string): Promise<MirrorLookup<readonly ImageLayer[]>> {
    const key = JSON.stringify([image, architecture]);
    const asked =
      known.get(key) ?? readWithMirrorFallback(image, sources, (reference) => ask(reference, architecture));
    known.set(key, asked);
    return asked;
  }

  return {
    async measure(spec, architecture) {
      const { platformImage, operatorsIndexes, additionalImages } = spec;
      const { isExcluded, notApplied } = readExclusion(spec.excludePrecachePatterns);
      const release = platformImage ? await releases.read(platformImage, sources, access) : undefined;
      const payload =
        release?.state === "found"
          ? [...release.content.images].filter(([tag, image]) => !isExcluded(tag, image))
          : [];
      const unreadable =
        release && release.state !== "found"
          ? [{ name: platformImage, reason: `the release's images are not known: ${whyNotFound(release)}` }]
          : [];
      const images = new Set([
        ...(release?.state === "found" ? [platformImage] : []),
        ...payload.map(([, image]) => image),
        ...operatorsIndexes,
        ...additionalImages,
      ]);
      const layers = new Map<string, number>();
      const notCounted: NotCounted[] = [...unreadable, ...notApplied.map(uncertainPattern)];
      const looked = await inLanes([...images], async (name) => ({
        name,
        lookup: await layersOf(name, architecture),
      }));
      for (const { name, lookup } of looked) {
        if (lookup.state !== "found") notCounted.push({ name, reason: whyNotFound(lookup) });
        else for (const { digest, size } of lookup.content) layers.set(digest, size);
      }
      return { layers, catalogs: operatorsIndexes, notCounted };
    },
  };
}
