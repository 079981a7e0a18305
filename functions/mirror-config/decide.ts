import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import { boundedIssues, hasErrors, type Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { machineConfigName, readMachineConfigFiles } from "#shared/domain/machine-config/machine-config.ts";
import { nodePaths } from "#shared/domain/machine-config/node-file.ts";
import {
  configureMirrors,
  type MirrorConfiguration,
  type MirrorInput,
} from "#shared/domain/mirrors/configuration.ts";
import { issueEvents } from "#shared/domain/plan/issue-events.ts";
import { keptOutcomes } from "#shared/domain/plan/kept-outcomes.ts";
import {
  eventsOf,
  type ObjectEvent,
  planObjectEvents,
  withLastOutcome,
} from "#shared/domain/plan/object-events.ts";
import type { Action, Plan } from "#shared/domain/plan/plan.ts";
import { eventComponent, eventLabels } from "./event-source.ts";
import { planConditions } from "./failed-condition.ts";
import type { Snapshot } from "./observe.ts";
import { type Ownership, ownershipOf } from "./ownership.ts";
import { planOwnedPool } from "./plan-owned-pool.ts";
import { planVerifiedPool } from "./plan-verified-pool.ts";
import { differing, type PoolPlan, type PoolSnapshot, settled } from "./pool-plan.ts";

function identity({ code, object, path, value }: Issue): string {
  return JSON.stringify([code, object, path, value]);
}

/** A source with contradicting rules keeps the mirrors of the applied file. */
function previousOf(machineConfig: KubernetesObject | undefined): Pick<MirrorInput, "previous"> {
  const file =
    machineConfig &&
    readMachineConfigFiles(machineConfig).find(({ path }) => path === nodePaths.registriesConf);
  return file ? { previous: { registriesConf: file.contents } } : {};
}

/** In verify mode, returns machine-config-operator's own result. */
function configurationFor(
  mode: "own" | "verify",
  machineConfig: KubernetesObject | undefined,
  { mirrorObjects, image, clusterVersion }: Snapshot,
): MirrorConfiguration {
  const input = {
    objects: mirrorObjects,
    ...(image ? { image } : {}),
    ...(clusterVersion ? { clusterVersion } : {}),
  };
  return mode === "verify"
    ? configureMirrors(input, { compat: "mco" })
    : configureMirrors({ ...input, ...previousOf(machineConfig) });
}

/** The control plane's topology decides whether a node is ever drained. */
function topologyOf(infrastructure: KubernetesObject | undefined): string | undefined {
  const topology = Object(infrastructure?.status).controlPlaneTopology;
  return typeof topology === "string" ? topology : undefined;
}

/** Returns an Event for every pool if nothing can be rendered: MCO waits for these two objects too. */
function waitingEvents({ image, clusterVersion, pools }: Snapshot): readonly ObjectEvent[] {
  const absent = [...(image ? [] : ["Image/cluster"]), ...(clusterVersion ? [] : ["ClusterVersion/version"])];
  if (absent.length === 0) return [];
  return pools.map((pool) => ({
    regarding: pool,
    type: "Warning",
    reason: "WaitingForClusterConfiguration",
    message: `${machineConfigName(pool.metadata.name)} is not written: ${absent.join(" and ")} of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.`,
  }));
}

function withOwner(owner: string, plan: PoolPlan): PoolPlan {
  return { ...plan, decision: { ...plan.decision, owner } };
}

function planPool(
  pool: KubernetesObject,
  snapshot: Snapshot,
  waiting: readonly ObjectEvent[],
): PoolPlan & Pick<Ownership, "mode"> {
  const { now, hubId, image, machineConfigs, objectEvents, machineConfiguration, infrastructure, windows } =
    snapshot;
  const name = machineConfigName(pool.metadata.name);
  const machineConfig = machineConfigs.find(({ metadata }) => metadata.name === name);
  const { mode, writer, reason, issues } = ownershipOf(pool, machineConfig, machineConfigs);
  if (!image || waiting.length > 0) {
    const reported = waiting.filter(({ regarding }) => regarding === pool);
    const message = reported.map((objectEvent) => objectEvent.message).join(" ");
    const plan = differing(settled("waiting", message, pool), [message]);
    return { ...withOwner(writer, plan), mode, issues, objectEvents: reported };
  }
  const configuration = configurationFor(mode, machineConfig, snapshot);
  const topology = topologyOf(infrastructure);
  const poolSnapshot: PoolSnapshot = {
    now,
    hubId,
    pool,
    image,
    machineConfig,
    objectEvents,
    configuration,
    machineConfiguration,
    topology,
    windows,
  };
  const plan = mode === "own" ? planOwnedPool(poolSnapshot) : planVerifiedPool(poolSnapshot, reason);
  return { ...withOwner(writer, plan), mode, issues: [...configuration.issues, ...issues, ...plan.issues] };
}

const refusedSubject = "cluster";

/** Only needed without an outcome about a pool, which carries the issues itself. */
function refusal(hubId: string, issues: readonly Issue[], eventActions: readonly Action[]): OutcomeEvent {
  const from = eventActions.map(({ object }) => object.metadata.resourceVersion ?? "").join();
  const type = "dev.hubrelay.mirror-config.refused";
  return outcomeEvent({ type, source: hubId, subject: refusedSubject, from, data: boundedIssues(issues) });
}

/**
 * Returns the plan for a snapshot: a MachineConfig per built-in pool, an Event on every object with an issue, and
 * an outcome for each change. Pure; deciding again after the plan was applied returns no actions.
 */
export function decide(snapshot: Snapshot): Plan {
  const { now, hubId, image, pools, machineConfigs, mirrorObjects, objectEvents } = snapshot;
  const waiting = waitingEvents(snapshot);
  const poolPlans = pools.map((pool) => planPool(pool, snapshot, waiting));
  const issues = [
    ...new Map(poolPlans.flatMap((plan) => plan.issues).map((issue) => [identity(issue), issue])).values(),
  ];
  // Under another owner only Events are written: the conditions are that owner's too.
  const isOwner = poolPlans.every(({ mode }) => mode === "own");
  const wanted = [
    ...issueEvents(issues, [...mirrorObjects, ...pools, ...(image ? [image] : [])]),
    ...poolPlans.flatMap((plan) => plan.objectEvents),
  ];
  const eventActions = planObjectEvents({
    objectEvents: wanted,
    existing: objectEvents,
    component: eventComponent,
    labels: eventLabels,
    now,
  });
  const poolActions = poolPlans.flatMap(({ actions }) => actions);
  const isReported = [...poolActions, ...eventActions].some(({ outcomes }) => outcomes);
  const refused = hasErrors(issues) && !isReported ? refusal(hubId, issues, eventActions) : undefined;
  const soonest = poolPlans
    .flatMap(({ requeueAt }) => (requeueAt ? [requeueAt] : []))
    .sort((a, b) => a.getTime() - b.getTime())[0];
  return {
    decisions: poolPlans.map(({ decision }) => decision),
    issues,
    actions: [
      ...poolActions,
      ...(isOwner ? planConditions(mirrorObjects, issues, now) : []),
      ...(refused ? withLastOutcome(eventActions, refused) : eventActions),
    ],
    standing: () =>
      keptOutcomes([...machineConfigs, ...eventsOf(wanted, eventComponent, objectEvents)], {
        source: hubId,
        type: "dev.hubrelay.mirror-config.",
        subjects: [refusedSubject, ...pools.map(({ metadata }) => machineConfigName(metadata.name))],
      }),
    ...(soonest ? { requeueAt: soonest } : {}),
  };
}
