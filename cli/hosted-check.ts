import { readFile } from "node:fs/promises";
import { readManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import type { ReleaseContent } from "#shared/domain/hosted-clusters/release-content.ts";
import type { GivenCluster } from "#shared/domain/hosted-clusters/report.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { type Registry, type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import { answerText, type ReleaseLookup, releaseReader } from "#shared/shell/release-reader.ts";
import { UsageError } from "./usage-error.ts";

/** The options of commands that ask registries when they are told to. */
export type CheckOptions = Readonly<{ check?: true; pullSecret?: string }>;

/** Registries, and as whom they are asked. */
export type CheckedRegistry = Readonly<{ registry: Registry; access: RegistryAccess }>;

async function readAccess({ pullSecret: path }: CheckOptions): Promise<RegistryAccess> {
  if (path === undefined) return {};
  try {
    return { pullSecret: await readFile(path, "utf8") };
  } catch (cause) {
    throw new UsageError(`--pull-secret ${path} cannot be read.`, { cause });
  }
}

/** Calls `use` with the registries when `--check` was given, and closes them after it. */
export async function withRegistry<Result>(
  options: CheckOptions,
  use: (checked: CheckedRegistry | undefined) => Promise<Result>,
): Promise<Result> {
  if (!options.check) {
    if (options.pullSecret !== undefined) throw new UsageError("--pull-secret is for --check.");
    return use(undefined);
  }
  const access = await readAccess(options);
  const { ociRegistry } = await import("#shared/adapters/oci-registry.ts");
  const registry = ociRegistry({ environment: process.env });
  try {
    return await use({ registry, access });
  } catch (error) {
    if (error instanceof RegistryError && error.code === "InvalidPullSecret")
      throw new UsageError(`--pull-secret: ${error.message}`, { cause: error });
    throw error;
  } finally {
    registry.close();
  }
}

/** Why an image cannot be had at this reference; undefined when it can. */
export async function whyNotThere(
  { registry, access }: CheckedRegistry,
  reference: string,
): Promise<string | undefined> {
  try {
    const digest = await registry.digest(reference, access);
    return digest === undefined ? "the registry does not have it" : undefined;
  } catch (error) {
    if (error instanceof RegistryError && error.code !== "InvalidPullSecret")
      return answerText(error, reference);
    throw error;
  }
}

function contentOf(lookup: ReleaseLookup): ReleaseContent | Readonly<{ problem: string }> {
  switch (lookup.state) {
    case "found":
      return lookup.content;
    case "unreadable":
      return { problem: "it is no image name with a host" };
    case "not found":
      return { problem: [...lookup.unavailable].map(([where, why]) => `${where}: ${why}`).join("; ") };
  }
}

/** What the registries say of the releases of these HostedClusters, each asked for once. */
export async function readReleases(
  { registry, access }: CheckedRegistry,
  clusters: readonly GivenCluster[],
  mirrorObjects: readonly KubernetesObject[],
): Promise<ReadonlyMap<string, ReleaseContent | Readonly<{ problem: string }>>> {
  const { sources } = readManagementMirrors(mirrorObjects);
  const reader = releaseReader(registry);
  const images = new Set(
    clusters.flatMap(({ cluster }) => [cluster.releaseImage, cluster.controlPlaneReleaseImage ?? ""]),
  );
  images.delete("");
  const read = [...images].map(
    async (image) => [image, contentOf(await reader.read(image, sources, access))] as const,
  );
  return new Map(await Promise.all(read));
}
