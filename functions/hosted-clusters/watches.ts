import { kinds, namespacedName, type ObjectReference } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Key, Watches } from "#shared/runtime/controller.ts";
import { servedBy } from "#shared/runtime/function-manifest.ts";
import { manifest } from "./manifest.ts";
import { affectedClusters, unchangedClusters } from "./planning/unchanged-clusters.ts";
import { observeMirrors, observeTick, tickReads } from "./snapshot/observe-tick.ts";

/** A control plane's namespace is `<namespace>-<name>` of the hosted cluster, with dashes for the dots in the name. */
function keysOfControlPlane({ namespace = "", name }: ObjectReference): readonly Key[] {
  const ending = `-${name.replaceAll(".", "-")}`;
  if (!namespace.endsWith(ending) || namespace.length === ending.length) return [];
  return [{ name: namespacedName({ namespace: namespace.slice(0, -ending.length), name }) }];
}

async function mapMirrors(_reference: ObjectReference, hub: HubReader): Promise<readonly Key[]> {
  return affectedClusters(await observeMirrors(hub)).map(({ metadata }) => ({
    name: namespacedName(metadata),
  }));
}

/** The watches, in a file of their own because the forwarder and the resync tick need nothing else. */
export const hostedClustersWatches: Watches = {
  ...servedBy(manifest),
  watches: [
    {
      kind: kinds.HostedCluster,
      mapToKeys: (reference) => (reference.namespace ? [{ name: namespacedName(reference) }] : []),
    },
    { kind: kinds.HostedControlPlane, mapToKeys: keysOfControlPlane },
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
