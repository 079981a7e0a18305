import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { releasesOf } from "#shared/domain/hosted-clusters/cluster/release-images.ts";
import { imagesOf } from "#shared/domain/hosted-clusters/cluster-overrides.ts";
import { releaseReferences } from "#shared/domain/hosted-clusters/overrides/explain.ts";
import { overridesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hub-overrides.ts";
import { withoutVersion } from "#shared/domain/images/image-reference.ts";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { parseRelease } from "#shared/domain/openshift/releases/release.ts";
import type { Registry, RegistryAccess } from "#shared/ports/registry.ts";
import {
  type ReleaseReaderWithTimeout,
  releaseReader,
  releaseReaderWithTimeout,
} from "#shared/registry/release-reader.ts";

/** The location of the images in the releases of a hosted cluster. */
export type Payload =
  /** The images are in repositories that hubrelay knows without reading the releases. */
  | Readonly<{ state: "published" }>
  | Readonly<{ state: "known"; repositories: readonly string[] }>
  | Readonly<{ state: "unknown"; problems: readonly string[] }>;

/** Returns the repositories to pass to `imagesOf`; undefined if they are unknown or published. */
export function repositoriesIn(payload: Payload): readonly string[] | undefined {
  return payload.state === "known" ? payload.repositories : undefined;
}

export type PayloadQuery = Readonly<{
  cluster: HostedCluster;
  mirrorObjects: readonly KubernetesObject[];
  /** The repositories that the last reconcile found; undefined if it found none. */
  remembered: readonly string[] | undefined;
  registry: Registry;
  /** Reads credentials and trusted authorities; called only before a registry is queried. */
  access: () => Promise<RegistryAccess>;
}>;

const readers = new WeakMap<Registry, ReleaseReaderWithTimeout>();

function readerFor(registry: Registry): ReleaseReaderWithTimeout {
  const reader =
    readers.get(registry) ?? releaseReaderWithTimeout(releaseReader(registry, { capacity: 256 }));
  readers.set(registry, reader);
  return reader;
}

const isPinned = (image: string) => image.includes("@sha256:");

/**
 * Finds the repositories of the images in a hosted cluster's releases. If a release cannot be read, returns the
 * repositories that the last reconcile found, if any.
 */
export async function findPayload(query: PayloadQuery): Promise<Payload> {
  const { cluster, mirrorObjects, remembered, registry } = query;
  const releases = releasesOf(cluster);
  if (releases.length === 0 || imagesOf(cluster).isComplete) return { state: "published" };
  if (remembered && releases.every(isPinned)) return { state: "known", repositories: remembered };
  const access = await query.access();
  const reader = readerFor(registry);
  const { overrides } = overridesLikeHypershift(mirrorObjects);
  const release = parseRelease(cluster.controlPlaneVersion);
  const read = await Promise.all(
    releases.map((image) => reader.read(image, releaseReferences(image, overrides, release), access)),
  );
  const problems = read.flatMap((one, index) =>
    "problem" in one ? [`${releases[index]}: ${one.problem}`] : [],
  );
  if (problems.length > 0)
    return remembered ? { state: "known", repositories: remembered } : { state: "unknown", problems };
  const images = read.flatMap((one) => ("images" in one ? [...one.images.values()] : []));
  return { state: "known", repositories: [...new Set(images.map(withoutVersion))].sort(byCodeUnit) };
}
