import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { functionLabels } from "../event-source.ts";
import { mirrorKinds } from "../watches.ts";

/** The mirrors, all hosted clusters, and the Events that record their mirrors. Lists are in the hub's order. */
export type MirrorsSnapshot = Readonly<{
  about: "mirrors";
  now: Date;
  hubId: string;
  /** The Kubernetes Events that this function has written. */
  objectEvents: readonly KubernetesObject[];
  hostedClusters: readonly KubernetesObject[];
  mirrorObjects: readonly KubernetesObject[];
}>;

/** Reads a fixed number of lists, regardless of the number of hosted clusters. */
export async function observeMirrors(hub: HubReader, now: Date): Promise<MirrorsSnapshot> {
  const objectEvents = await hub.list(kinds.Event, { labels: functionLabels });
  const [hostedClusters, ...mirrorObjects] = await Promise.all([
    hub.list(kinds.HostedCluster),
    ...mirrorKinds.map((kind) => hub.list(kind)),
  ]);
  return {
    about: "mirrors",
    now,
    hubId: hub.id,
    objectEvents,
    hostedClusters,
    mirrorObjects: mirrorObjects.flat(),
  };
}
