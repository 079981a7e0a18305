import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import { boundedIssues } from "#shared/domain/issues/bounded-list.ts";
import { hasErrors, type Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { machineConfigName, readMachineConfigFiles } from "#shared/domain/machine-config/machine-config.ts";
import { nodePaths } from "#shared/domain/machine-config/node-file.ts";
import {
  configureMirrors,
  type MirrorConfiguration,
  type MirrorInput,
} from "#shared/domain/mirrors/configuration.ts";
import { issueReports } from "#shared/domain/plan/issue-reports.ts";
import { keptOutcomes } from "#shared/domain/plan/kept-outcomes.ts";
import type { Action, Plan } from "#shared/domain/plan/plan.ts";
import { eventsOf, planReports, type Report, withLastOutcome } from "#shared/domain/plan/report.ts";
import { planConditions } from "./failed-condition.ts";
import type { Snapshot } from "./observe.ts";
import { planOwnPool } from "./own-pool.ts";
import { type Ownership, ownershipOf } from "./ownership.ts";
import { differing, type PoolPlan, type PoolSnapshot, settled } from "./pool-plan.ts";
import { reportComponent, reportLabels } from "./report.ts";
import { planVerifiedPool } from "./verified-pool.ts";

function identity({ code, object, path, value }: Issue): string {
  return JSON.stringify([code, object, path, value]);
}

/** What is applied now: a source with contradicting rules keeps its mirrors from there. */
function previousOf(machineConfig: KubernetesObject | undefined): Pick<MirrorInput, "previous"> {
  const file =
    machineConfig &&
    readMachineConfigFiles(machineConfig).find(({ path }) => path === nodePaths.registriesConf);
  return file ? { previous: { registriesConf: file.contents } } : {};
}

/** The configuration that a pool should have: machine-config-operator's own result where that is the owner. */
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

/** The part of the cluster's Infrastructure that decides whether a node is ever drained. */
function topologyOf(infrastructure: KubernetesObject | undefined): string | undefined {
  const topology = Object(infrastructure?.status).controlPlaneTopology;
  return typeof topology === "string" ? topology : undefined;
}

/** Why nothing can be rendered at all, told on every pool: MCO waits for these two objects as well. */
function missing({ image, clusterVersion, pools }: Snapshot): readonly Report[] {
  const absent = [...(image ? [] : ["Image/cluster"]), ...(clusterVersion ? [] : ["ClusterVersion/version"])];
  if (absent.length === 0) return [];
  return pools.map((pool) => ({
    regarding: pool,
    type: "Warning",
    reason: "WaitingForClusterConfiguration",
    message: `${machineConfigName(pool.metadata.name)} is not written: ${absent.join(" and ")} of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.`,
  }));
}

function ownedBy(owner: string, plan: PoolPlan): PoolPlan {
  return { ...plan, decision: { ...plan.decision, owner } };
}

/** What should happen to one pool's MachineConfig. */
function planPool(
  pool: KubernetesObject,
  snapshot: Snapshot,
  waiting: readonly Report[],
): PoolPlan & Pick<Ownership, "mode"> {
  const { now, hubId, image, machineConfigs, reports, machineConfiguration, infrastructure, windows } =
    snapshot;
  const name = machineConfigName(pool.metadata.name);
  const machineConfig = machineConfigs.find(({ metadata }) => metadata.name === name);
  const { mode, writer, reason, issues } = ownershipOf(pool, machineConfig, machineConfigs);
  if (!image || waiting.length > 0) {
    const told = waiting.filter(({ regarding }) => regarding === pool);
    const message = told.map((report) => report.message).join(" ");
    const plan = differing(settled("waiting", message, pool), [message]);
    return { ...ownedBy(writer, plan), mode, issues, reports: told };
  }
  const configuration = configurationFor(mode, machineConfig, snapshot);
  const topology = topologyOf(infrastructure);
  const one: PoolSnapshot = {
    now,
    hubId,
    pool,
    image,
    machineConfig,
    reports,
    configuration,
    machineConfiguration,
    topology,
    windows,
  };
  const plan = mode === "own" ? planOwnPool(one) : planVerifiedPool(one, reason);
  return { ...ownedBy(writer, plan), mode, issues: [...configuration.issues, ...issues, ...plan.issues] };
}

const refusedSubject = "cluster";

/** The outcome of a refusal alone: where an outcome about a pool goes out, it carries the issues itself. */
function refusal(hubId: string, issues: readonly Issue[], reportActions: readonly Action[]): OutcomeEvent {
  const from = reportActions.map(({ object }) => object.metadata.resourceVersion ?? "").join();
  const type = "dev.hubrelay.mirror-config.refused";
  return outcomeEvent({ type, source: hubId, subject: refusedSubject, from, data: boundedIssues(issues) });
}

/**
 * From one look at the hub to what should happen: a MachineConfig per built-in pool, an Event on every object
 * with a mistake, an outcome for each change. Pure; deciding again after the plan was applied gives no actions.
 */
export function decide(snapshot: Snapshot): Plan {
  const { now, hubId, image, pools, machineConfigs, mirrorObjects, reports } = snapshot;
  const waiting = missing(snapshot);
  const poolPlans = pools.map((pool) => planPool(pool, snapshot, waiting));
  const issues = [
    ...new Map(poolPlans.flatMap((plan) => plan.issues).map((issue) => [identity(issue), issue])).values(),
  ];
  // Beside another owner only Events are written: the conditions are that owner's as well.
  const isOwner = poolPlans.every(({ mode }) => mode === "own");
  const wanted = [
    ...issueReports(issues, [...mirrorObjects, ...pools, ...(image ? [image] : [])]),
    ...poolPlans.flatMap((plan) => plan.reports),
  ];
  const reportActions = planReports({
    reports: wanted,
    existing: reports,
    component: reportComponent,
    labels: reportLabels,
    now,
  });
  const poolActions = poolPlans.flatMap(({ actions }) => actions);
  const isReported = [...poolActions, ...reportActions].some(({ outcomes }) => outcomes);
  const refused = hasErrors(issues) && !isReported ? refusal(hubId, issues, reportActions) : undefined;
  const soonest = poolPlans
    .flatMap(({ requeueAt }) => (requeueAt ? [requeueAt] : []))
    .sort((a, b) => a.getTime() - b.getTime())[0];
  return {
    decisions: poolPlans.map(({ decision }) => decision),
    issues,
    actions: [
      ...poolActions,
      ...(isOwner ? planConditions(mirrorObjects, issues, now) : []),
      ...(refused ? withLastOutcome(reportActions, refused) : reportActions),
    ],
    standing: () =>
      keptOutcomes([...machineConfigs, ...eventsOf(wanted, reportComponent, reports)], {
        source: hubId,
        type: "dev.hubrelay.mirror-config.",
        subjects: [refusedSubject, ...pools.map(({ metadata }) => machineConfigName(metadata.name))],
      }),
    ...(soonest ? { requeueAt: soonest } : {}),
  };
}
