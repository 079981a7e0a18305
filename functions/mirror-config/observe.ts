import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { isBuiltInPool, machineConfigName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { Clock } from "#shared/domain/windows/clock.ts";
import type { ReconcileRequest } from "#shared/runtime/controller.ts";
import { observeNodeFiles } from "./snapshot/observe-node-files.ts";
import { observeRelease, observeReleaseObjects, type ReleaseFindings } from "./snapshot/observe-release.ts";
import { eventLabels, mirrorKinds } from "./watches.ts";

/** The hub's objects that one reconcile reads. Lists are sorted by name, in the hub's order. */
export type Snapshot = Readonly<{
  now: Date;
  clockAheadSeconds?: Clock["clockAheadSeconds"];
  hubId: string;
  /** The existing generated MachineConfigs of the built-in pools. */
  machineConfigs: readonly KubernetesObject[];
  /** The Kubernetes Events that this function has written. */
  objectEvents: readonly KubernetesObject[];
  /** The built-in MachineConfigPools: each has a generated MachineConfig. */
  pools: readonly KubernetesObject[];
  /** Custom MachineConfigPools: their nodes get the worker's generated MachineConfig. */
  customPools: readonly KubernetesObject[];
  /** MachineConfigs that write files configuring image pulls, reduced to these files. */
  nodeMachineConfigs: readonly KubernetesObject[];
  mirrorObjects: readonly KubernetesObject[];
  image: KubernetesObject | undefined;
  clusterVersion: KubernetesObject | undefined;
  /** What a changed file makes a node do; and, from Infrastructure, whether the control plane is a single node. */
  machineConfiguration: KubernetesObject | undefined;
  infrastructure: KubernetesObject | undefined;
  /** Up to 4.19: the ConfigMap that skips drains, and the MachineOSConfigs. From 4.17 to 4.20: the FeatureGate. */
  releaseObjects: readonly KubernetesObject[];
  release: ReleaseFindings;
  /** The MaintenanceWindows, which allow changes that cost more than a pool allows. */
  windows: readonly KubernetesObject[];
}>;

/**
 * Reads the targets (MachineConfigs, Events) first, the sources after them, and registries last. Pools are read twice:
 * their names select the MachineConfigs, and their annotations are a source.
 */
export async function observe({
  hub,
  now,
  external: { registry },
}: ReconcileRequest<"registry">): Promise<Snapshot> {
  const names = (await hub.list(kinds.MachineConfigPool))
    .filter(isBuiltInPool)
    .map(({ metadata }) => machineConfigName(metadata.name));
  const [objectEvents, ...machineConfigs] = await Promise.all([
    hub.list(kinds.Event, { labels: eventLabels }),
    ...names.map((name) => hub.get(kinds.MachineConfig, name)),
  ]);
  const [
    pools,
    nodeMachineConfigs,
    image,
    clusterVersion,
    machineConfiguration,
    infrastructure,
    windows,
    ...mirrorObjects
  ] = await Promise.all([
    hub.list(kinds.MachineConfigPool),
    observeNodeFiles(hub),
    hub.get(kinds.Image, "cluster"),
    hub.get(kinds.ClusterVersion, "version"),
    hub.get(kinds.MachineConfiguration, "cluster"),
    hub.get(kinds.Infrastructure, "cluster"),
    hub.list(kinds.MaintenanceWindow),
    ...mirrorKinds.map((kind) => hub.list(kind)),
  ]);
  const releaseObjects = await observeReleaseObjects(hub, clusterVersion);
  const release = await observeRelease(
    { clusterVersion, image, mirrorObjects: mirrorObjects.flat(), objectEvents },
    { hub, registry },
  );
  return {
    now,
    hubId: hub.id,
    machineConfigs: machineConfigs.filter((found) => found !== undefined),
    objectEvents,
    pools: pools.filter(isBuiltInPool),
    customPools: pools.filter((pool) => !isBuiltInPool(pool)),
    nodeMachineConfigs,
    mirrorObjects: mirrorObjects.flat(),
    image,
    clusterVersion,
    release,
    machineConfiguration,
    infrastructure,
    releaseObjects,
    windows,
  };
}
