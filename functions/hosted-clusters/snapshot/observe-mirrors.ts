import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { functionLabels } from "../event-source.ts";
import { listed } from "./listed-fields.ts";

/** The mirrors, all hosted clusters, and the Events that record their mirrors. Lists are in the hub's order. */
export type MirrorsSnapshot = Readonly<{
  /** The Kubernetes Events that this function has written. */
  objectEvents: readonly KubernetesObject[];
  hostedClusters: readonly KubernetesObject[];
  mirrorObjects: readonly KubernetesObject[];
}>;

/** Reads the mirrors of the management cluster. */
export async function readMirrors(hub: HubReader): Promise<readonly KubernetesObject[]> {
  return (await Promise.all(mirrorRuleKinds.map((kind) => hub.list(kind)))).flat();
}

/** Reads a fixed number of lists, regardless of the number of hosted clusters. */
export async function observeMirrors(hub: HubReader): Promise<MirrorsSnapshot> {
  const objectEvents = await hub.list(kinds.Event, { labels: functionLabels, keep: listed.event });
  const [hostedClusters, mirrorObjects] = await Promise.all([
    hub.list(kinds.HostedCluster, { keep: listed.cluster }),
    readMirrors(hub),
  ]);
  return { objectEvents, hostedClusters, mirrorObjects };
}
