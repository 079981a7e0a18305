import { boundedIssues, explanation, type Issue } from "#shared/domain/issues/issue.ts";
import { conditionOf, withCondition } from "#shared/domain/kubernetes/conditions.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { displayName, isKind, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import {
  builtInLabel,
  builtInPools,
  machineConfigName,
} from "#shared/domain/openshift/machine-config/machine-config.ts";
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
import { type Action, notCompared, type Plan } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { type DesiredOf, desiredStates } from "./desired-states.ts";
import { comparedWithout, nodeFindings } from "./node-findings.ts";
import { releaseEvent, type Snapshot } from "./observe.ts";
import { type Ownership, ownershipOf } from "./ownership.ts";
import { type PoolSnapshot, planOwnedPool, planVerifiedPool, settledPool } from "./pool-plan.ts";
import { conditionKinds, eventComponent, eventLabels } from "./watches.ts";

const refusedSubject = "cluster";

/** Returns the plan for a hub's MachineConfigs. Pure; deciding again after the plan was applied returns no actions. */
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
  // If another program owns the MachineConfigs, hubrelay writes only Events.
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
      // An outcome about a pool already includes the pool's issues.
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

/** machine-config-operator waits for the same objects. */
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

/** The mirror objects are still checked, because nothing else reports their errors. */
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

/** The label is often left out of files. Without it, a built-in pool counts as a custom pool. */
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

const type = "Failed";

function isAbout({ object }: Issue, { kind, metadata }: KubernetesObject): boolean {
  return object.kind === kind && object.name === metadata.name && object.namespace === metadata.namespace;
}

/**
 * Plans the condition `Failed` of objects: True for the first error, and False when all errors are fixed. Nothing else
 * writes this condition, which is promised by the enhancement “Add CRD ImageSourceDigestPolicy and ImageSourceTagPolicy
 * to config.openshift.io/v1”.
 */
export function planConditions(
  objects: readonly KubernetesObject[],
  issues: readonly Issue[],
  now: Date,
): readonly Action[] {
  return objects
    .filter((object) => conditionKinds.some((kind) => isKind(kind, object)))
    .flatMap((object): Action[] => {
      const error = issues.find((issue) => issue.severity === "error" && isAbout(issue, object));
      if (!error && conditionOf(object, type)?.status !== "True") return [];
      const condition = error
        ? {
            status: "True" as const,
            reason: error.code,
            message: sentence`${error.path}: ${explanation(error)}`,
          }
        : { status: "False" as const, reason: "Resolved", message: "This object has no errors." };
      const changed = withCondition(object, { type, ...condition }, now);
      const reason = sentence`${type} is ${condition.status}: ${condition.reason}`;
      return changed
        ? [
            {
              verb: "update-status",
              object: changed,
              reason: sentence`${displayName(referenceTo(object))} ${reason}`,
            },
          ]
        : [];
    });
}
