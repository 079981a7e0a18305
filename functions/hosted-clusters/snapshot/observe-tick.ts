import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import {
  type Kind,
  type KubernetesObject,
  kinds,
  withoutManagedFields,
} from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import {
  controlPlaneOperator,
  functionLabels,
  hypershiftOperator,
  overridesReaders,
} from "../well-known-names.ts";

function listedMetadata({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  return withoutManagedFields({ apiVersion, kind, metadata });
}

function listedCluster(object: KubernetesObject): KubernetesObject {
  const { version, controlPlaneVersion } = fieldsOf(object.status);
  return { ...listedMetadata(object), spec: object.spec, status: { version, controlPlaneVersion } };
}

function listedEvent(object: KubernetesObject): KubernetesObject {
  const { involvedObject, reason, message, lastTimestamp } = object;
  return { ...listedMetadata(object), involvedObject, reason, message, lastTimestamp };
}

/** Functions that reduce listed objects to the fields that a tick compares, to save memory. */
export const listed = {
  metadata: listedMetadata,
  cluster: listedCluster,
  event: listedEvent,
};

/** The mirror objects, all hosted clusters, and the Events that record which mirrors apply to a hosted cluster. */
export type MirrorsSnapshot = Readonly<{
  objectEvents: readonly KubernetesObject[];
  hostedClusters: readonly KubernetesObject[];
  mirrorObjects: readonly KubernetesObject[];
}>;

/** Reads the mirror objects of the management cluster. */
export async function readMirrors(hub: HubReader): Promise<readonly KubernetesObject[]> {
  return (await Promise.all(mirrorRuleKinds.map((kind) => hub.list(kind)))).flat();
}

/** Lists mirror objects, hosted clusters and Events. */
export async function observeMirrors(hub: HubReader): Promise<MirrorsSnapshot> {
  const objectEvents = await hub.list(kinds.Event, { labels: functionLabels, keep: listed.event });
  const [hostedClusters, mirrorObjects] = await Promise.all([
    hub.list(kinds.HostedCluster, { keep: listed.cluster }),
    readMirrors(hub),
  ]);
  return { objectEvents, hostedClusters, mirrorObjects };
}

/** The lists of one tick, for all hosted clusters. */
export type TickSnapshot = MirrorsSnapshot &
  Readonly<{
    hypershiftOperator: KubernetesObject | undefined;
    /** These objects, and `deployments`, have only metadata. */
    hostedControlPlanes: readonly KubernetesObject[];
    deployments: readonly KubernetesObject[];
  }>;

const deployment = (name: string) => ({ kind: kinds.Deployment, selector: { name } });

/** The kinds that a tick lists in addition to the watched kinds. */
export const tickReads = [
  { kind: kinds.Event },
  ...[controlPlaneOperator, ...overridesReaders, hypershiftOperator.name].map(deployment),
];

/**
 * Reads the lists of a tick, one after the other to limit memory. Deployments come from the API server's cache, since
 * otherwise the server would read all Deployments of the hub.
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
  return {
    ...mirrors,
    hypershiftOperator: operator,
    hostedControlPlanes,
    deployments,
  };
}
