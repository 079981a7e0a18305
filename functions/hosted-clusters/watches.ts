import { fieldsOf, textOf } from "#shared/domain/kubernetes/json/values.ts";
import {
  type KubernetesObject,
  kinds,
  namespacedName,
  type ObjectReference,
} from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import { changeHeld, waitsForWindow } from "#shared/domain/windows/hold-reasons.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Key, Watches } from "#shared/runtime/controller.ts";
import { servedBy } from "#shared/runtime/function-manifest.ts";
import { manifest } from "./manifest.ts";
import { windowFingerprint } from "./planning/basis.ts";
import { affectedClusters, unchangedClusters } from "./planning/unchanged-clusters.ts";
import { observeMirrors, observeTick, tickReads } from "./snapshot/observe-tick.ts";
import { functionLabels } from "./well-known-names.ts";

/** The namespace of a control plane is `<namespace>-<name>` of its hosted cluster, with dashes for dots. */
function keysOfControlPlane({ namespace = "", name }: ObjectReference): readonly Key[] {
  const ending = `-${name.replaceAll(".", "-")}`;
  if (!namespace.endsWith(ending) || namespace.length === ending.length) return [];
  return [{ name: namespacedName({ namespace: namespace.slice(0, -ending.length), name }) }];
}

/** Whichever mirrors have changed: what they mean for a hosted cluster depends on all of them. */
async function mapMirrors(_reference: ObjectReference, hub: HubReader): Promise<readonly Key[]> {
  return affectedClusters(await observeMirrors(hub)).map(({ metadata }) => ({
    name: namespacedName(metadata),
  }));
}

/** A changed window matters to hosted clusters that wait for one, or name one that cannot be used. */
const windowReasons: readonly unknown[] = [changeHeld, waitsForWindow, "WindowMissing", "WindowUnusable"];

/** Whichever window has changed: which of them decide about a hosted cluster depends on all of them. */
async function mapWindows(_reference: ObjectReference, hub: HubReader): Promise<readonly Key[]> {
  const events = await hub.list(kinds.Event, { labels: functionLabels });
  const waiting = events.flatMap(({ reason, involvedObject }) => {
    const { namespace, name } = fieldsOf(involvedObject);
    const isNamed = typeof namespace === "string" && typeof name === "string";
    return isNamed && windowReasons.includes(reason) ? [namespacedName({ namespace, name })] : [];
  });
  return [...new Set(waiting)].map((name) => ({ name }));
}

const hostedClusterOf = ({
  metadata: { namespace },
  spec,
}: KubernetesObject): ObjectReference | undefined => {
  const { apiVersion, kind } = kinds.HostedCluster;
  const name = textOf(fieldsOf(spec).clusterName);
  return name === undefined || namespace === undefined ? undefined : { apiVersion, kind, namespace, name };
};

/** Another event source names the NodePool itself: the NodePool says whose it is. */
async function mapNodePool(
  { namespace = "", name }: ObjectReference,
  hub: HubReader,
): Promise<readonly Key[]> {
  const [nodePool] = await hub.list(kinds.NodePool, { namespace, name });
  const owner = nodePool && hostedClusterOf(nodePool);
  return owner ? [{ name: namespacedName(owner) }] : [];
}

/** The watches of the function, separate from its logic because the resync tick needs only them. */
export const hostedClustersWatches: Watches = {
  ...servedBy(manifest),
  watches: [
    {
      kind: kinds.HostedCluster,
      mapToKeys: (reference) => (reference.namespace ? [{ name: namespacedName(reference) }] : []),
    },
    { kind: kinds.HostedControlPlane, mapToKeys: keysOfControlPlane },
    {
      // They decide what a change of mirrors costs. Their status changes with every node.
      kind: kinds.NodePool,
      sourceOf: kinds.HostedCluster,
      fingerprint: ({ metadata }) => String(metadata.generation),
      refersTo: hostedClusterOf,
      mapToKeys: mapNodePool,
    },
    {
      kind: kinds.MaintenanceWindow,
      sourceOf: kinds.HostedCluster,
      fingerprint: windowFingerprint,
      mapToKeys: mapWindows,
    },
    ...mirrorRuleKinds.map((kind) => ({ kind, sourceOf: kinds.HostedCluster, mapToKeys: mapMirrors })),
  ],
  ticks: {
    reads: tickReads,
    async find(hub, time) {
      const tick = await observeTick(hub);
      const listed = new Map([
        [kinds.HostedCluster, tick.hostedClusters],
        [kinds.HostedControlPlane, tick.hostedControlPlanes],
      ]);
      return { unchanged: unchangedClusters(tick, time), listed };
    },
  },
};
