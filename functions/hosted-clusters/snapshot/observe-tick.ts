import {
  type HostedCluster,
  readHostedCluster,
} from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { controlPlaneOperator, hypershiftOperator, overridesReaders } from "../well-known-names.ts";
import { dependsOnNodePools, dependsOnWindows } from "./cluster-dependencies.ts";
import { listed } from "./listed-fields.ts";
import { type MirrorsSnapshot, observeMirrors } from "./observe-mirrors.ts";

/** What one tick lists for all hosted clusters. */
export type TickSnapshot = MirrorsSnapshot &
  Readonly<{
    hypershiftOperator: KubernetesObject | undefined;
    /** Only their metadata, as that of the Deployments of control planes that have overrides. */
    hostedControlPlanes: readonly KubernetesObject[];
    deployments: readonly KubernetesObject[];
    /** Empty where no decision depends on them, as are the windows. */
    nodePools: readonly KubernetesObject[];
    windows: readonly KubernetesObject[];
  }>;

const deployment = (name: string) => ({ kind: kinds.Deployment, selector: { name } });

/** The kinds that a tick lists besides those that the function watches. */
export const tickReads = [
  { kind: kinds.Event },
  ...[controlPlaneOperator, ...overridesReaders, hypershiftOperator.name].map(deployment),
];

/**
 * Reads a fixed number of lists, regardless of the number of hosted clusters, one after the other and in pages, so that
 * memory is bounded. Deployments are from the API server's cache: elsewhere it would read all those of a hub to find these.
 */
export async function observeTick(hub: HubReader): Promise<TickSnapshot> {
  const listMetadata = (kind: Kind, options: Readonly<{ name?: string; fromCache?: boolean }> = {}) =>
    hub.list(kind, { ...options, metadataOnly: true, keep: listed.metadata });
  const { name, namespace } = hypershiftOperator;
  const [operator] = await hub.list(kinds.Deployment, { name, namespace, metadataOnly: true });
  const hostedControlPlanes = await listMetadata(kinds.HostedControlPlane);
  const deployments: KubernetesObject[] = [];
  for (const one of [controlPlaneOperator, ...overridesReaders])
    deployments.push(...(await listMetadata(kinds.Deployment, { name: one, fromCache: true })));
  const mirrors = await observeMirrors(hub);
  const isNeeded = (depends: (cluster: HostedCluster) => boolean) =>
    mirrors.hostedClusters.some((object) => depends(readHostedCluster(object).cluster));
  const nodePools = isNeeded(dependsOnNodePools)
    ? await hub.list(kinds.NodePool, { keep: listed.nodePool })
    : [];
  const windows = isNeeded(dependsOnWindows) ? await hub.list(kinds.MaintenanceWindow) : [];
  return {
    ...mirrors,
    hypershiftOperator: operator,
    hostedControlPlanes,
    deployments,
    nodePools,
    windows,
  };
}
