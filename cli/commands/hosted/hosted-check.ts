import { findCatalogs } from "#functions/hosted-clusters/snapshot/find-catalogs.ts";
import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import type { CheckedRelease } from "#shared/domain/hosted-clusters/cluster/release-images.ts";
import type { GivenCluster } from "#shared/domain/hosted-clusters/given-clusters.ts";
import type { CheckedCatalogs } from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { releaseReferences } from "#shared/domain/hosted-clusters/overrides/explain.ts";
import { overridesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hub-overrides.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { parseRelease } from "#shared/domain/openshift/releases/release.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { type Registry, type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import { messageWithoutReference, notFoundReason } from "#shared/registry/mirror-fallback.ts";
import { imageConfigAccess, registryAccess } from "#shared/registry/registry-access.ts";
import { releaseReader } from "#shared/registry/release-reader.ts";
import { printIssues } from "../../io/issue-text.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { unreadAuthorities } from "../../io/node-access.ts";
import { readPullSecret } from "../../io/pull-secret.ts";
import { UsageError } from "../../program/exit-codes.ts";

export type CheckOptions = Readonly<{
  /** Paths of `-f`; absent for the live hub. */
  filename?: readonly string[];
  check?: true;
  pullSecret?: string;
}>;

/** A client of registries. `accessOf` returns a cluster's access; without a cluster, the management cluster's. */
export type CheckedRegistry = Readonly<{
  registry: Registry;
  accessOf: (cluster: HostedCluster | undefined) => Promise<RegistryAccess>;
}>;

/** `--pull-secret` replaces the credentials of every cluster. */
async function accessFinder(
  { pullSecret: file }: CheckOptions,
  hub: HubReader,
  report: (issue: Issue | undefined) => void,
): Promise<CheckedRegistry["accessOf"]> {
  const given = file === undefined ? {} : { pullSecret: await readPullSecret(file) };
  return async (cluster) => {
    const own = cluster
      ? await registryAccess(hub, cluster.controlPlaneNamespace)
      : await imageConfigAccess(hub);
    report(unreadAuthorities(own));
    return { ...own.access, ...given };
  };
}

/** Calls `use` with registries or, without `--check`, with undefined. `objects` are the objects of `-f`. */
export async function withRegistry<Result>(
  options: CheckOptions,
  objects: readonly KubernetesObject[],
  use: (checked: CheckedRegistry | undefined) => Promise<Result>,
): Promise<Result> {
  const { check, pullSecret, filename } = options;
  if (!check) {
    if (pullSecret !== undefined) throw new UsageError("--pull-secret needs --check.");
    return use(undefined);
  }
  const { ociRegistry } = await import("#shared/adapters/oci/oci-registry.ts");
  const registry = ociRegistry({ environment: process.env });
  // An issue that is the same for several clusters is reported once.
  const issues = new Map<string, Issue>();
  const report = (issue: Issue | undefined) => {
    if (issue) issues.set(JSON.stringify([issue.object, issue.message]), issue);
  };
  const run = async (hub: HubReader) => use({ registry, accessOf: await accessFinder(options, hub, report) });
  try {
    return await (filename ? run(manifestHub("manifests", objects)) : onLiveHub(run));
  } catch (error) {
    if (error instanceof RegistryError && error.code === "InvalidPullSecret")
      throw new UsageError(error.message, { cause: error });
    throw error;
  } finally {
    registry.close();
    printIssues([...issues.values()]);
  }
}

/** Returns why no image is available at this reference; undefined if an image is available. */
export async function whyUnavailable(
  registry: Registry,
  reference: string,
  access: RegistryAccess,
): Promise<string | undefined> {
  try {
    const digest = await registry.digest(reference, access);
    return digest === undefined ? "the registry does not have it" : undefined;
  } catch (error) {
    if (error instanceof RegistryError && error.code !== "InvalidPullSecret")
      return messageWithoutReference(error, reference);
    throw error;
  }
}

/** Reads the releases of HostedClusters from registries. The key is the release image. */
export async function readReleases(
  { registry, accessOf }: CheckedRegistry,
  clusters: readonly GivenCluster[],
  mirrorObjects: readonly KubernetesObject[],
): Promise<ReadonlyMap<string, CheckedRelease>> {
  const reader = releaseReader(registry);
  const { overrides } = overridesLikeHypershift(mirrorObjects);
  const releases = new Map<string, CheckedRelease>();
  const asked = new Set<string>();
  for (const { cluster } of clusters) {
    const access = await accessOf(cluster);
    for (const image of [cluster.releaseImage, cluster.controlPlaneReleaseImage ?? ""]) {
      const request = JSON.stringify([image, access]);
      const known = releases.get(image);
      if (image === "" || asked.has(request) || (known && !("problem" in known))) continue;
      asked.add(request);
      const release = parseRelease(cluster.controlPlaneVersion);
      const references = releaseReferences(image, overrides, release);
      const found = await reader.read(references, access);
      releases.set(image, found.state === "found" ? found.content : { problem: notFoundReason(found) });
    }
  }
  return releases;
}

/** Finds HostedClusters' catalogs in registries, by `namespace/name`. Clusters that need no lookup are left out. */
export async function readCatalogs(
  { registry, accessOf }: CheckedRegistry,
  clusters: readonly GivenCluster[],
  mirrorObjects: readonly KubernetesObject[],
): Promise<ReadonlyMap<string, CheckedCatalogs>> {
  const query = { mirrorObjects, registry, mode: "own" } as const;
  const catalogs = new Map<string, CheckedCatalogs>();
  for (const { cluster } of clusters) {
    const findings = await findCatalogs({ ...query, cluster, access: () => accessOf(cluster) });
    if (findings.state === "not needed") continue;
    const name = `${cluster.namespace}/${cluster.name}`;
    if (findings.state === "incomplete") catalogs.set(name, { problems: findings.messages });
    else {
      const images = findings.catalogs.map(({ catalog, image }) => ({ name: catalog.name, image }));
      catalogs.set(name, { images });
    }
  }
  return catalogs;
}
