import { pulledReferences } from "../domain/hosted-clusters/overrides/management-mirrors.ts";
import { formatImageReference, type ImageReference } from "../domain/images/image-reference.ts";
import type { KubernetesObject } from "../domain/kubernetes/object.ts";
import { imagesByRepository } from "../domain/mirrors/input/release-repositories.ts";
import type { HubReader } from "../ports/hub.ts";
import { isAccessProblem, type Registry, type RegistryAccess, RegistryError } from "../ports/registry.ts";
import { type BoundedCache, boundedCache } from "./bounded-cache.ts";
import { nodeAccess } from "./registry-access.ts";
import {
  type ReleaseReaderWithTimeout,
  type ReleaseResult,
  releaseReader,
  releaseReaderWithTimeout,
} from "./release-reader.ts";

const waitMs = 6_000;
/** How long a registry that failed is skipped. */
const cooldownMs = 10 * 60_000;
/** How long the result of an image lookup is cached, in milliseconds. */
const imageMs = { present: 60 * 60_000, unknown: cooldownMs, absent: 0 } as const;

type Known = Readonly<{
  reader: ReleaseReaderWithTimeout;
  /** Failed reads of releases, kept for `cooldownMs`. `reader` caches the successful reads instead. */
  releases: BoundedCache<ReleaseResult>;
  /** Whether images exist. `unknown` if the registry failed. */
  images: BoundedCache<"present" | "absent" | "unknown">;
  /** The credentials of each hub's nodes. Empty if hubrelay may not read them. */
  credentials: BoundedCache<RegistryAccess>;
}>;

const knownBy = new WeakMap<Registry, Known>();

function knownOf(registry: Registry): Known {
  const known = knownBy.get(registry) ?? {
    reader: releaseReaderWithTimeout(releaseReader(registry), { waitMs, cooldownMs }),
    releases: boundedCache({
      capacity: 64,
      lifetimeMs: (result: ReleaseResult) => ("problem" in result ? cooldownMs : 0),
    }),
    images: boundedCache({
      capacity: 1024,
      lifetimeMs: (state: keyof typeof imageMs) => imageMs[state],
    }),
    credentials: boundedCache({ capacity: 64, lifetimeMs: () => cooldownMs }),
  };
  knownBy.set(registry, known);
  return known;
}

export type ReleaseQuery = Readonly<{
  hub: HubReader;
  registry: Registry;
  insecureHosts: readonly string[];
}>;

/** Called only after a request without credentials has failed, since hubrelay may not be permitted to read them. */
function credentialsOf({ hub, registry }: ReleaseQuery): Promise<RegistryAccess> {
  return knownOf(registry).credentials.get(hub.id, async () => (await nodeAccess(hub)).access);
}

function anonymousAccess({ insecureHosts }: ReleaseQuery): RegistryAccess {
  return insecureHosts.length > 0 ? { insecureHosts } : {};
}

/** Returns one image of each repository in a release, or a problem. A failed read is not repeated for ten minutes. */
export async function readReleaseImages(
  release: ImageReference,
  mirrorObjects: readonly KubernetesObject[],
  query: ReleaseQuery,
): Promise<Readonly<{ images: readonly string[] } | { problem: string }>> {
  const { reader, releases } = knownOf(query.registry);
  const image = formatImageReference(release);
  const result = await releases.get(image, async () => {
    const locations = pulledReferences(release, mirrorObjects);
    const read = await reader.read(image, locations, anonymousAccess(query));
    return "problem" in read && read.needsAccess
      ? reader.read(image, locations, await credentialsOf(query))
      : read;
  });
  if ("problem" in result) return { problem: result.problem };
  return { images: imagesByRepository([...result.images.values()]).map(formatImageReference) };
}

async function isPresent(reference: string, query: ReleaseQuery): Promise<boolean> {
  const ask = (access: RegistryAccess) => query.registry.digest(reference, access);
  const state = await knownOf(query.registry).images.get(reference, async () => {
    try {
      const found = await ask(anonymousAccess(query)).catch(async (error: unknown) => {
        if (!isAccessProblem(error)) throw error;
        return ask(await credentialsOf(query));
      });
      return found === undefined ? "absent" : "present";
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      return "unknown";
    }
  });
  return state !== "absent";
}

/** Returns `locations` if certainly none of them has the image, otherwise an empty list. */
async function absentAmong(
  locations: readonly ImageReference[],
  query: ReleaseQuery,
): Promise<readonly string[]> {
  const absent: string[] = [];
  for (const location of locations) {
    const reference = formatImageReference(location);
    if (await isPresent(reference, query)) return [];
    absent.push(reference);
  }
  return absent;
}

/** Returns the locations of the images that certainly no registry has. `images` has the locations of each image. */
export async function absentImages(
  images: readonly (readonly ImageReference[])[],
  query: ReleaseQuery,
): Promise<ReadonlySet<string>> {
  const { promise: late, resolve } = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(resolve, waitMs, []);
  try {
    const found = await Promise.all(
      images.map((locations) => Promise.race([absentAmong(locations, query), late])),
    );
    return new Set(found.flat());
  } finally {
    clearTimeout(timer);
  }
}
