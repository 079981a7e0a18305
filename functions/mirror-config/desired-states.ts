import { type ChangeCost, costOfChange, topologyOf } from "#shared/domain/diff/node-cost/cost-of-change.ts";
import { isDrainOverride, isInImageMode } from "#shared/domain/diff/node-cost/disruption-policy.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  configureMirrors,
  type MirrorConfiguration,
  type MirrorOptions,
} from "#shared/domain/mirrors/configuration.ts";
import { isEveryFilePresent, withPresentTexts } from "#shared/domain/mirrors/written-files.ts";
import { isOfRole, readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { NodeFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { clusterReleases } from "#shared/domain/openshift/releases/cluster-releases.ts";
import type { Snapshot } from "./observe.ts";
import type { Ownership } from "./ownership.ts";
import type { PoolSnapshot } from "./pool-plan.ts";

type Desired = Pick<PoolSnapshot, "configuration" | "change">;

export type DesiredOf = (
  mode: Ownership["mode"],
  pool?: KubernetesObject,
  machineConfig?: KubernetesObject,
) => Desired;

/** Returns a function that computes the desired state of a pool. Pools with the same input share one result. */
export function desiredStates(snapshot: Snapshot): DesiredOf {
  const {
    mirrorObjects,
    image,
    clusterVersion,
    release,
    machineConfiguration,
    infrastructure,
    releaseObjects,
  } = snapshot;
  const input = {
    ...(release.images ? { releaseImages: release.images } : {}),
    ...(release.problem === undefined ? {} : { releaseProblem: release.problem }),
    absentImages: release.absent,
    objects: [...mirrorObjects, ...releaseObjects, ...(infrastructure ? [infrastructure] : [])],
    ...(image ? { image } : {}),
    ...(clusterVersion ? { clusterVersion } : {}),
  };
  const topology = topologyOf(infrastructure);
  const circumstances = {
    ...(machineConfiguration ? { machineConfiguration } : {}),
    ...(topology ? { topology } : {}),
    releases: clusterReleases(clusterVersion),
    hasDrainOverride: releaseObjects.some(isDrainOverride),
  };

  function configure(mode: Ownership["mode"], present: readonly NodeFile[]): MirrorConfiguration {
    const rendered = (options: MirrorOptions): MirrorConfiguration => {
      const configuration = configureMirrors(input, options);
      return { ...configuration, files: withPresentTexts(configuration.files, present) };
    };
    if (mode === "own") return rendered({ writer: "hubrelay" });
    const expected = rendered({ isStored: true });
    const isWritten = ({ refused, files }: MirrorConfiguration) =>
      !refused && isEveryFilePresent(files, present);
    if (isWritten(expected)) return expected;
    // During an update, the operator of the next release may already have written the files.
    const ofUpdates = expected.releases.begun.map((release) => rendered({ isStored: true, release }));
    return ofUpdates.find(isWritten) ?? expected;
  }

  function desired(
    mode: Ownership["mode"],
    present: readonly NodeFile[],
    before: readonly NodeFile[],
    isImageMode: boolean,
  ): Desired {
    const configuration = configure(mode, present);
    let change: ChangeCost | undefined;
    return {
      configuration,
      change: () =>
        (change ??= costOfChange({ before, after: configuration.files, ...circumstances, isImageMode })),
    };
  }

  const known = new Map<string, Desired>();
  return (mode, pool, machineConfig) => {
    const present = machineConfig ? readMachineConfigFiles(machineConfig) : [];
    const isSelected = pool && machineConfig && isOfRole(machineConfig, pool.metadata.name);
    const before = isSelected ? present : [];
    const isImageMode = pool !== undefined && isInImageMode(pool.metadata.name, releaseObjects);
    const inputs = JSON.stringify([mode, present, before, isImageMode]);
    const state = known.get(inputs) ?? desired(mode, present, before, isImageMode);
    known.set(inputs, state);
    return state;
  };
}
