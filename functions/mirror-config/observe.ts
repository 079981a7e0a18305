import {
  drainOverride,
  imageModeKinds,
  releaseEffects,
} from "#shared/domain/diff/node-cost/disruption-policy.ts";
import { withoutVersion } from "#shared/domain/images/image-reference.ts";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { readRegistrySources } from "#shared/domain/mirrors/input/read-image.ts";
import { readMirrorObjects } from "#shared/domain/mirrors/input/read-mirror-sets.ts";
import { canCutOff, findReleaseImage, isLocked } from "#shared/domain/mirrors/input/release-repositories.ts";
import { onlyLocations } from "#shared/domain/mirrors/node-config/payload.ts";
import {
  isBuiltInPool,
  machineConfigName,
  roleLabel,
} from "#shared/domain/openshift/machine-config/machine-config.ts";
import { withOnlyPullFiles, writesPullFiles } from "#shared/domain/openshift/machine-config/pool-files.ts";
import { clusterReleases } from "#shared/domain/openshift/releases/cluster-releases.ts";
import { isPreviewIn } from "#shared/domain/openshift/releases/payload-signature-policy.ts";
import { eventName, type ObjectEvent } from "#shared/domain/plan/object-events.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { Clock } from "#shared/domain/windows/clock.ts";
import { type HubReader, ifPermitted } from "#shared/ports/hub.ts";
import type { Registry } from "#shared/ports/registry.ts";
import { absentImages, readReleaseImages } from "#shared/registry/release-images.ts";
import { releaseMemory, rememberedRepositories } from "#shared/registry/release-memory.ts";
import type { ReconcileRequest } from "#shared/runtime/controller.ts";
import { eventComponent, eventLabels, mirrorKinds } from "./watches.ts";

/** What registries report about the hub's release, if a setting could keep nodes from pulling its images. */
export type ReleaseFindings = Readonly<{
  /** One image of each repository that the release uses; absent if unknown. */
  images?: readonly string[];
  problem?: string;
  /** The images of the release that their mirrors do not have. */
  absent: ReadonlySet<string>;
}>;

/** The objects of the hub that one reconcile reads. */
export type Snapshot = Readonly<{
  now: Date;
  clockAheadSeconds?: Clock["clockAheadSeconds"];
  hubId: string;
  /** The existing generated MachineConfigs of the built-in pools. */
  machineConfigs: readonly KubernetesObject[];
  objectEvents: readonly KubernetesObject[];
  /** The built-in MachineConfigPools. Each of them has its own generated MachineConfig. */
  pools: readonly KubernetesObject[];
  /** The custom MachineConfigPools. Their nodes get the generated MachineConfig of the worker pool. */
  customPools: readonly KubernetesObject[];
  /** The MachineConfigs that write files about image pulls. Other files are left out. */
  nodeMachineConfigs: readonly KubernetesObject[];
  mirrorObjects: readonly KubernetesObject[];
  image: KubernetesObject | undefined;
  clusterVersion: KubernetesObject | undefined;
  /** The object that decides whether a changed file drains or reboots a node. */
  machineConfiguration: KubernetesObject | undefined;
  infrastructure: KubernetesObject | undefined;
  releaseObjects: readonly KubernetesObject[];
  release: ReleaseFindings;
  windows: readonly KubernetesObject[];
}>;

/**
 * Reads the objects of the snapshot: first those that may be written, last the registries. Pools are read twice: their
 * names select the MachineConfigs, and their annotations are a source.
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

/** Returns the MachineConfigs that write files about image pulls, with only these files; none without permission. */
export async function observeNodeFiles(hub: HubReader): Promise<readonly KubernetesObject[]> {
  const listed = hub.list(kinds.MachineConfig, {
    // The merged MachineConfigs of pools are left out: they are the largest, and have no role label.
    withLabel: roleLabel,
    fromCache: true,
    keep: withOnlyPullFiles,
  });
  const { found = [] } = await ifPermitted(listed);
  return found.filter(writesPullFiles);
}

export const noFindings: ReleaseFindings = { absent: new Set() };

type ReleaseInput = Readonly<{
  clusterVersion: KubernetesObject | undefined;
  image: KubernetesObject | undefined;
  mirrorObjects: readonly KubernetesObject[];
  objectEvents: readonly KubernetesObject[];
}>;

const desiredImage = ({ status }: KubernetesObject): string =>
  String(fieldsOf(fieldsOf(status).desired).image);

/** Returns the Event that records the location of the release's images. */
export function releaseEvent(clusterVersion: KubernetesObject, images: readonly string[]): ObjectEvent {
  const repositories = images.map(withoutVersion);
  return {
    regarding: clusterVersion,
    type: "Normal",
    reason: "ReleaseImages",
    message: sentence`The images of this release are in ${repositories.join(", ")}; nodes must be able to pull them.`,
    memory: releaseMemory([desiredImage(clusterVersion)], images),
  };
}

function recall(
  clusterVersion: KubernetesObject,
  objectEvents: readonly KubernetesObject[],
): readonly string[] | undefined {
  const name = eventName(releaseEvent(clusterVersion, []), eventComponent);
  const event = objectEvents.find(({ metadata }) => metadata.name === name);
  return rememberedRepositories([desiredImage(clusterVersion)], event);
}

/** Returns the location of the images of the hub's release, and the images that mirrors lack. */
export async function observeRelease(
  { clusterVersion, image, mirrorObjects, objectEvents }: ReleaseInput,
  ports: Readonly<{ hub: HubReader; registry: Registry }>,
): Promise<ReleaseFindings> {
  if (!clusterVersion || !image) return noFindings;
  const release = findReleaseImage({ clusterVersion });
  const { sources } = readRegistrySources(image);
  const { rules } = readMirrorObjects(mirrorObjects);
  if (release.state !== "known" || !canCutOff(rules, sources)) return noFindings;

  const query = { ...ports, insecureHosts: (sources.insecure ?? []).map(({ scope }) => scope) };
  const remembered = recall(clusterVersion, objectEvents);
  const isPinned = release.payload.digest !== undefined;
  const read =
    remembered && isPinned
      ? { images: remembered }
      : await readReleaseImages(release.payload, mirrorObjects, query);
  const images = "images" in read ? read.images : remembered;
  if (!images) return { ...noFindings, ...("problem" in read ? { problem: read.problem } : {}) };

  const found = findReleaseImage({ clusterVersion, releaseImages: images });
  const needed = found.state === "known" ? found.needed : [];
  const locked = needed.filter((one) => one.digest !== undefined && isLocked(one, rules, sources));
  if (locked.length === 0) return { ...noFindings, images };
  const input = { objects: mirrorObjects, image, clusterVersion, releaseImages: images };
  const { entries } = configureMirrors(input, { isStored: true, writer: "hubrelay" });
  const absent = await absentImages(
    locked.map((one) => onlyLocations(entries, one)),
    query,
  );
  return { images, absent };
}

/** Returns the objects that matter only in some releases, such as MachineOSConfigs, if hubrelay may read them. */
export async function observeReleaseObjects(
  hub: HubReader,
  clusterVersion: KubernetesObject | undefined,
): Promise<readonly KubernetesObject[]> {
  const releases = clusterReleases(clusterVersion);
  const { readsDrainOverride, rebootsImageMode } = releaseEffects(releases);
  const { name, namespace } = drainOverride;
  const [override, features, ...configs] = await Promise.all([
    readsDrainOverride ? ifPermitted(hub.get(kinds.ConfigMap, name, namespace)) : undefined,
    isPreviewIn(releases.current) ? ifPermitted(hub.get(kinds.FeatureGate, "cluster")) : undefined,
    ...(rebootsImageMode ? imageModeKinds : []).map((kind) => ifPermitted(hub.list(kind))),
  ]);
  const found = [override, features].flatMap((one) => one?.found ?? []);
  return [...found, ...configs.flatMap((some) => some.found ?? [])];
}
