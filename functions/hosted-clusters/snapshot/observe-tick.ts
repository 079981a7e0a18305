import { type Kind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { controlPlaneOperator, hypershiftOperator, overridesReaders } from "../well-known-names.ts";
import { type MirrorsSnapshot, observeMirrors } from "./observe-mirrors.ts";

/** What one tick lists for all hosted clusters. */
export type TickSnapshot = MirrorsSnapshot &
  Readonly<{
    hypershiftOperator: KubernetesObject | undefined;
    /** HostedControlPlanes, and the Deployments of control planes that have overrides. Only their metadata. */
    controlPlanes: readonly KubernetesObject[];
    nodePools: readonly KubernetesObject[];
    windows: readonly KubernetesObject[];
  }>;

const deployment = (name: string) => ({ kind: kinds.Deployment, selector: { name } });

/** The kinds that a tick lists besides those that the function watches. */
export const tickReads = [
  { kind: kinds.Event },
  ...[controlPlaneOperator, ...overridesReaders, hypershiftOperator.name].map(deployment),
];

/** Keeps only the metadata that is compared: managed fields are often the larger part of the rest. */
const comparedMetadata = ({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject => {
  const { name, namespace, uid, generation, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(generation ? { generation } : {}),
      ...(annotations ? { annotations } : {}),
    },
  };
};

/**
 * Reads a fixed number of lists, regardless of the number of hosted clusters, one after the other and in pages, so that
 * memory is bounded. Deployments are from the API server's cache: elsewhere it would read all those of a hub to find these.
 */
export async function observeTick(hub: HubReader): Promise<TickSnapshot> {
  const listMetadata = (kind: Kind, options: Readonly<{ name?: string; fromCache?: boolean }> = {}) =>
    hub.list(kind, { ...options, metadataOnly: true, keep: comparedMetadata });
  const { name, namespace } = hypershiftOperator;
  const [operator] = await hub.list(kinds.Deployment, { name, namespace, metadataOnly: true });
  const controlPlanes = [...(await listMetadata(kinds.HostedControlPlane))];
  for (const one of [controlPlaneOperator, ...overridesReaders])
    controlPlanes.push(...(await listMetadata(kinds.Deployment, { name: one, fromCache: true })));
  const nodePools = await hub.list(kinds.NodePool);
  const windows = await hub.list(kinds.MaintenanceWindow);
  return {
    ...(await observeMirrors(hub)),
    hypershiftOperator: operator,
    controlPlanes,
    nodePools,
    windows,
  };
}
