import { type ChangeCost, costOfChange, topologyOf } from "#shared/domain/diff/node-cost/cost-of-change.ts";
import { isDrainOverride, isInImageMode } from "#shared/domain/diff/node-cost/release-effects.ts";
import { boundedIssues } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  configureMirrors,
  type MirrorConfiguration,
  type MirrorOptions,
} from "#shared/domain/mirrors/configuration.ts";
import { isEveryFilePresent, withPresentTexts } from "#shared/domain/mirrors/present-files.ts";
import {
  builtInLabel,
  builtInPools,
  isOfRole,
  machineConfigName,
  readMachineConfigFiles,
} from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { NodeFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { clusterReleases } from "#shared/domain/openshift/releases/cluster-releases.ts";
import { keptOutcomes } from "#shared/domain/plan/kept-outcomes.ts";
import {
  eventsOf,
  issueEvents,
  type ObjectEvent,
  planObjectEvents,
  withRefusal,
} from "#shared/domain/plan/object-events.ts";
import { outcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { mergePlans, type PartialPlan, settled } from "#shared/domain/plan/partial-plan.ts";
import { notCompared, type Plan } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { eventComponent, eventLabels } from "./event-source.ts";
import { planConditions } from "./failed-condition.ts";
import { comparedWithout, nodeFindings } from "./node-findings.ts";
import type { Snapshot } from "./observe.ts";
import { type Ownership, ownershipOf } from "./ownership.ts";
import { planOwnedPool } from "./plan-owned-pool.ts";
import { planVerifiedPool } from "./plan-verified-pool.ts";
import { type PoolSnapshot, settledPool } from "./pool-plan.ts";
import { releaseEvent } from "./snapshot/observe-release.ts";

/** What a pool's nodes should have, and what the way there costs them. */
type Desired = Pick<PoolSnapshot, "configuration" | "change">;

type DesiredOf = (
  mode: Ownership["mode"],
  pool?: KubernetesObject,
  machineConfig?: KubernetesObject,
) => Desired;

/**
 * Returns the function that configures a pool. Nodes have the files only of a MachineConfig that their pool selects.
 * Pools of the same mode with the same files share one result.
 */
function desiredStates(snapshot: Snapshot): DesiredOf {
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
    // While an update runs, the operator of the next release may have written them already.
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

/** Returns an Event for every pool if nothing can be rendered: MCO waits for these two objects too. */
function waitingEvents({ image, clusterVersion, pools }: Snapshot): readonly ObjectEvent[] {
  const absent = [...(image ? [] : ["Image/cluster"]), ...(clusterVersion ? [] : ["ClusterVersion/version"])];
  if (absent.length === 0) return [];
  return pools.map((pool) => ({
    regarding: pool,
    type: "Warning",
    reason: "WaitingForClusterConfiguration",
    message: sentence`${machineConfigName(pool.metadata.name)} is not written: ${absent.join(" and ")} of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.`,
  }));
}

function withOwner(owner: string, plan: PartialPlan): PartialPlan {
  return { ...plan, decisions: plan.decisions.map((decision) => ({ ...decision, owner })) };
}

function planPool(
  pool: KubernetesObject,
  snapshot: Snapshot,
  waiting: readonly ObjectEvent[],
  desiredOf: DesiredOf,
): PartialPlan & Pick<Ownership, "mode"> {
  const { now, clockAheadSeconds, hubId, image, machineConfigs, objectEvents, windows } = snapshot;
  const name = machineConfigName(pool.metadata.name);
  const machineConfig = machineConfigs.find(({ metadata }) => metadata.name === name);
  const ownership = ownershipOf(pool, machineConfigs);
  const { mode, writer, issues } = ownership;
  const { configuration, change } = desiredOf(mode, pool, machineConfig);
  const onNodes = nodeFindings(pool, snapshot, configuration);
  const ofFiles = [...configuration.issues, ...onNodes.issues];
  const found = [...ofFiles, ...issues];
  if (!image || waiting.length > 0) {
    const reported = waiting.filter(({ regarding }) => regarding === pool);
    const message = reported.map((objectEvent) => objectEvent.message).join(" ");
    const plan = settledPool(pool, "waiting", message, [message]);
    return { ...withOwner(writer, plan), mode, issues: found, objectEvents: reported };
  }
  const poolSnapshot: PoolSnapshot = {
    now,
    clockAheadSeconds,
    hubId,
    pool,
    image,
    machineConfig,
    objectEvents,
    configuration: { ...configuration, issues: ofFiles },
    change,
    windows,
  };
  const plan = mode === "own" ? planOwnedPool(poolSnapshot) : planVerifiedPool(poolSnapshot, ownership);
  const decisions = plan.decisions.map((decision) => comparedWithout(decision, onNodes.files));
  return { ...withOwner(writer, { ...plan, decisions }), mode, issues: [...found, ...plan.issues] };
}

/** Without nodes to configure the mirror objects are still checked: their owners learn of errors nowhere else. */
function planWithoutPools(
  desiredOf: DesiredOf,
  unlabelled: readonly PartialPlan[],
): PartialPlan & Pick<Ownership, "mode"> {
  const reason = "the hub has no built-in MachineConfigPool, as when its own control plane is hosted";
  const { issues } = desiredOf("verify").configuration;
  const plan =
    unlabelled.length > 0 ? mergePlans(...unlabelled) : settled("MachineConfigs", "not needed", reason);
  return { ...plan, mode: "verify", issues };
}

/** Returns what is said about pools with the names of built-in ones, but without their label: files often lack it. */
function unlabelledPools({ customPools }: Snapshot): readonly PartialPlan[] {
  return customPools
    .map(({ metadata }) => metadata.name)
    .filter((pool) => builtInPools.some((name) => name === pool))
    .map((pool) =>
      settled(
        machineConfigName(pool),
        notCompared,
        sentence`MachineConfigPool/${pool} has no label ${builtInLabel}, so hubrelay does not know it as a built-in pool. Fix: Keep the labels of the hub's pool.`,
      ),
    );
}

const refusedSubject = "cluster";

/**
 * Returns the plan for a snapshot: a MachineConfig per built-in pool, an Event on every object with an issue, and
 * an outcome for each change. Pure; deciding again after the plan was applied returns no actions.
 */
export function decide(snapshot: Snapshot): Plan {
  const { now, hubId, image, clusterVersion, release, pools, machineConfigs, objectEvents } = snapshot;
  const { mirrorObjects, nodeMachineConfigs, customPools } = snapshot;
  const waiting = waitingEvents(snapshot);
  const desiredOf = desiredStates(snapshot);
  const unlabelled = unlabelledPools(snapshot);
  const poolPlans =
    pools.length > 0
      ? pools.map((pool) => planPool(pool, snapshot, waiting, desiredOf))
      : [planWithoutPools(desiredOf, unlabelled)];
  const merged = mergePlans(...poolPlans, ...(pools.length > 0 ? unlabelled : []));
  const issues = withoutRepeats(merged.issues);
  // Under another owner only Events are written: the conditions are that owner's too.
  const isOwner = poolPlans.every(({ mode }) => mode === "own");
  const wanted = [
    ...issueEvents(issues, [
      ...mirrorObjects,
      ...pools,
      ...customPools,
      ...nodeMachineConfigs,
      ...(image ? [image] : []),
      ...(clusterVersion ? [clusterVersion] : []),
    ]),
    ...(clusterVersion && release.images ? [releaseEvent(clusterVersion, release.images)] : []),
    ...merged.objectEvents,
  ];
  const eventActions = planObjectEvents({
    objectEvents: wanted,
    existing: objectEvents,
    component: eventComponent,
    labels: eventLabels,
    now,
  });
  return {
    decisions: merged.decisions,
    issues,
    actions: [
      ...merged.actions,
      ...(isOwner ? planConditions(mirrorObjects, issues, now) : []),
      // An outcome about a pool carries the issues itself.
      ...withRefusal(eventActions, { actions: merged.actions, issues }, (from) =>
        outcomeEvent({
          type: "dev.hubrelay.mirror-config.refused",
          source: hubId,
          subject: refusedSubject,
          from,
          at: now,
          data: boundedIssues(issues),
        }),
      ),
    ],
    standing: () =>
      keptOutcomes([...machineConfigs, ...eventsOf(wanted, eventComponent, objectEvents)], {
        source: hubId,
        type: "dev.hubrelay.mirror-config.",
        subjects: [refusedSubject, ...pools.map(({ metadata }) => machineConfigName(metadata.name))],
      }),
    ...(merged.requeueAt ? { requeueAt: merged.requeueAt } : {}),
  };
}
