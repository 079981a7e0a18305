import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { imagesOf, repositoryOf } from "#shared/domain/hosted-clusters/cluster-images.ts";
import type { ManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import { byCodeUnit } from "#shared/domain/json/order.ts";
import type { Registry, RegistryAccess } from "#shared/ports/registry.ts";
import { releaseReader } from "#shared/registry/release-reader.ts";
import {
  type ReleaseReaderWithTimeout,
  releaseReaderWithTimeout,
} from "#shared/registry/release-reader-with-timeout.ts";
import { releasesOf } from "./release-memory.ts";

/** What is known of the images in a hosted cluster's releases. */
export type Payload =
  /** Their publisher keeps them where everybody knows. */
  | Readonly<{ state: "published" }>
  | Readonly<{ state: "known"; repositories: readonly string[] }>
  /** Then they may be anywhere. */
  | Readonly<{ state: "unknown"; problems: readonly string[] }>;

/** The repositories as `imagesOf` takes them: undefined where its own table tells, or nobody knows. */
export function repositoriesIn(payload: Payload): readonly string[] | undefined {
  return payload.state === "known" ? payload.repositories : undefined;
}

export type PayloadQuestion = Readonly<{
  cluster: HostedCluster;
  mirrors: ManagementMirrors;
  /** What was known of these releases the last time. */
  remembered: readonly string[] | undefined;
  registry: Registry;
  /** Read only when a registry is really asked. */
  access: () => Promise<RegistryAccess>;
}>;

/** What has been read through a registry port is kept for as long as the port is. */
const readers = new WeakMap<Registry, ReleaseReaderWithTimeout>();

function readerFor(registry: Registry): ReleaseReaderWithTimeout {
  const reader =
    readers.get(registry) ?? releaseReaderWithTimeout(releaseReader(registry, { capacity: 256 }));
  readers.set(registry, reader);
  return reader;
}

const isPinned = (image: string) => image.includes("@sha256:");

/**
 * Finds out where the images of a hosted cluster's releases are. Only for releases of publishers that are not known
 * a registry is asked, and for one that a digest names only once; what was known stays known while none answers.
 */
export async function findPayload(question: PayloadQuestion): Promise<Payload> {
  const { cluster, mirrors, remembered, registry } = question;
  const releases = releasesOf(cluster);
  if (releases.length === 0 || imagesOf(cluster).isComplete) return { state: "published" };
  if (remembered && releases.every(isPinned)) return { state: "known", repositories: remembered };
  const access = await question.access();
  const reader = readerFor(registry);
  const read = await Promise.all(releases.map((image) => reader.read(image, mirrors.sources, access)));
  const problems = read.flatMap((one, index) =>
    "problem" in one ? [`${releases[index]}: ${one.problem}`] : [],
  );
  if (problems.length > 0)
    return remembered ? { state: "known", repositories: remembered } : { state: "unknown", problems };
  const images = read.flatMap((one) => ("images" in one ? [...one.images.values()] : []));
  return { state: "known", repositories: [...new Set(images.map(repositoryOf))].sort(byCodeUnit) };
}
