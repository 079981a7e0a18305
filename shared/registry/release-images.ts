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

/** How long a reconcile waits for a registry (`waitMs`), and how long a registry that failed is skipped (`cooldownMs`). */
const waitMs = 6_000;
const cooldownMs = 10 * 60_000;
/** How long the result of an image lookup is cached, in ms by result. */
const imageMs = { present: 60 * 60_000, unknown: cooldownMs, absent: 0 } as const;

/** The caches that one process has for one registry port. */
type Known = Readonly<{
  reader: ReleaseReaderWithTimeout;
  /** Failed reads of releases, which are not repeated at every reconcile; `reader` caches the successful ones. */
  releases: BoundedCache<ReleaseResult>;
  /** Whether images exist; `unknown` if the registry failed. */
  images: BoundedCache<"present" | "absent" | "unknown">;
  /** The credentials of each hub's nodes; empty if reading them is forbidden. */
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

/**
 * Returns the credentials of the hub's nodes. Called only after a registry rejected an anonymous request: reading them needs
 * a permission that hubrelay's own role does not include.
 */
function credentialsOf({ hub, registry }: ReleaseQuery): Promise<RegistryAccess> {
  return knownOf(registry).credentials.get(hub.id, async () => (await nodeAccess(hub)).access);
}

function anonymousAccess({ insecureHosts }: ReleaseQuery): RegistryAccess {
  return insecureHosts.length > 0 ? { insecureHosts } : {};
}

/**
 * Returns one image of each repository in a release's image-references. Reads the release as nodes do: through the
 * mirrors, and with credentials only if a registry requires them. If the release cannot be read, returns a problem,
 * and does not request the release again for ten minutes.
 */
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

/** Returns `locations` if each of them certainly lacks the image; an empty list if one of them may have it. */
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

/**
 * Returns all locations of each image that no registry has. Each item of `images` has all locations of one image. A
 * registry that fails or is slow does not count as lacking the image.
 */
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
