import pMap from "p-map";
import { sentence } from "../domain/credentials/redact.ts";
import type { ManagementMirrors } from "../domain/hosted-clusters/overrides/management-mirrors.ts";
import { readExclusion } from "../domain/precache/model/exclude-patterns.ts";
import type { NotCounted } from "../domain/precache/model/precache-plan.ts";
import type { PrecachingSpec } from "../domain/precache/model/precaching-spec.ts";
import {
  type MeasuredImages,
  type PlannedImage,
  streamSavings,
} from "../domain/precache/sizes/cluster-sizes.ts";
import type { ImageLayer, Registry, RegistryAccess } from "../ports/registry.ts";
import { type MirrorLookup, notFoundReason, readWithMirrorFallback } from "./mirror-fallback.ts";
import { releaseReader } from "./release-reader.ts";
import { skipUnresponsive } from "./skip-unresponsive.ts";

const concurrency = 8;

export type ImageSizes = Readonly<{
  /** Returns the layers of all images that a cluster of this architecture pulls; those that no registry reports are absent. */
  measure(spec: PrecachingSpec, architecture: string): Promise<MeasuredImages>;
}>;

function uncertainPattern(name: string): NotCounted {
  return {
    name,
    reason: "this pattern is only applied on the cluster; images that it leaves out are counted",
  };
}

/**
 * Reads the sizes of images from registries, through the mirrors. Each image and release is read once for each
 * architecture, however many plans contain it.
 */
export function imageSizes(
  registry: Registry,
  sources: ManagementMirrors["sources"],
  access: RegistryAccess,
): ImageSizes {
  const releases = releaseReader(registry);
  const known = new Map<string, Promise<MirrorLookup<readonly ImageLayer[]>>>();
  const whileResponsive = skipUnresponsive();
  const ask = (reference: string, architecture: string) =>
    whileResponsive(
      reference,
      async () => (await registry.image(reference, access, { architecture }))?.layers,
    );

  function layersOf(image: string, architecture: string): Promise<MirrorLookup<readonly ImageLayer[]>> {
    const key = JSON.stringify([image, architecture]);
    const lookup =
      known.get(key) ?? readWithMirrorFallback(image, sources, (reference) => ask(reference, architecture));
    known.set(key, lookup);
    return lookup;
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
          ? [
              {
                name: platformImage,
                reason: sentence`the release's images are not known: ${notFoundReason(release)}`,
              },
            ]
          : [];
      const tags = new Map(payload.map(([tag, image]) => [image, tag]));
      const images = new Set([
        ...(release?.state === "found" ? [platformImage] : []),
        ...tags.keys(),
        ...operatorsIndexes,
        ...additionalImages,
      ]);
      const notCounted: NotCounted[] = [...unreadable, ...notApplied.map(uncertainPattern)];
      const lookUp = async (name: string) => ({ name, lookup: await layersOf(name, architecture) });
      const lookups = await pMap(images, lookUp, { concurrency });
      const found: PlannedImage[] = [];
      for (const { name, lookup } of lookups) {
        if (lookup.state !== "found") notCounted.push({ name, reason: notFoundReason(lookup) });
        else {
          const tag = tags.get(name);
          const layers = new Map(lookup.content.map(({ digest, size }) => [digest, size]));
          found.push({ layers, ...(tag === undefined ? {} : { tag }) });
        }
      }
      const layers = new Map(found.flatMap((image) => [...image.layers]));
      return { layers, catalogs: operatorsIndexes, notCounted, osStreams: streamSavings(found) };
    },
  };
}
