import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { isBuiltInPool, machineConfigName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { Clock } from "#shared/domain/windows/clock.ts";
import type { ReconcileRequest } from "#shared/runtime/controller.ts";
import { observeNodeFiles } from "./snapshot/observe-node-files.ts";
import { observeRelease, observeReleaseObjects, type ReleaseFindings } from "./snapshot/observe-release.ts";
import { eventLabels, mirrorKinds } from "./watches.ts";

/** The hub as one reconcile reads it. Lists are sorted by name, in the hub's order. */
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
  /** The others, whose nodes have the worker's. */
  customPools: readonly KubernetesObject[];
  /** The MachineConfigs that write files which configure how nodes pull images, with only these files. */
  nodeMachineConfigs: readonly KubernetesObject[];
  mirrorObjects: readonly KubernetesObject[];
  image: KubernetesObject | undefined;
  clusterVersion: KubernetesObject | undefined;
  /** Decide what a changed file makes a node do, and whether the control plane is a single node. */
  machineConfiguration: KubernetesObject | undefined;
  infrastructure: KubernetesObject | undefined;
  /** Up to 4.19: the ConfigMap that skips drains, and the MachineOSConfigs. From 4.17 to 4.20: the FeatureGate. */
  releaseObjects: readonly KubernetesObject[];
  /** Where the images of the release are. */
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
