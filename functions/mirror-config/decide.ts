import { outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import { hasErrors, type Issue } from "#shared/domain/issue.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectReference } from "#shared/domain/kubernetes/object.ts";
import { planReports, type Report } from "#shared/domain/kubernetes/report.ts";
import { machineConfigName } from "#shared/domain/machine-config/machine-config.ts";
import { configureMirrors, type MirrorConfiguration } from "#shared/domain/mirrors/configuration.ts";
import type { Plan } from "#shared/domain/plan.ts";
import { mirrorKinds, type Snapshot } from "./observe.ts";
import { ownershipOf } from "./ownership.ts";
import { type PoolPlan, type PoolSnapshot, planOwnPool, planVerifiedPool } from "./plan-pool.ts";
import { reportComponent, reportLabels, reportsOf } from "./report.ts";

/** What the configuration is made from. */
export const sourceKinds = [...mirrorKinds, kinds.Image, kinds.ClusterVersion, kinds.MachineConfigPool];

/**
 * Every object that takes part leads to the one key, for all of them are merged into the same files. Of the
 * MachineConfigs only the generated ones count: a hub holds hundreds.
 */
export function keyOf(reference: ObjectReference): string | undefined {
  if (sourceKinds.some((kind) => isKind(kind, reference))) return "cluster";
  const generated =
    isKind(kinds.MachineConfig, reference) && /^99-.+-generated-registries$/.test(reference.name);
  return generated ? "cluster" : undefined;
}

function identity({ code, object, path, value }: Issue): string {
  return JSON.stringify([code, object, path, value]);
}

/** The configuration each mode renders, computed at most once: MCO's own result where MCO is the owner. */
function configurations({ mirrorObjects, image, clusterVersion }: Snapshot) {
  const input = {
    objects: mirrorObjects,
    ...(image ? { image } : {}),
    ...(clusterVersion ? { clusterVersion } : {}),
  };
  const computed = new Map<string, MirrorConfiguration>();
  return {
    forMode(mode: "own" | "verify"): MirrorConfiguration {
      const known = computed.get(mode);
      if (known) return known;
      const configuration = configureMirrors(input, mode === "verify" ? { compat: "mco" } : {});
      computed.set(mode, configuration);
      return configuration;
    },
    issues: () => [...computed.values()].flatMap(({ issues }) => issues),
  };
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

/**
 * From one look at the hub to what should happen: a MachineConfig per built-in pool, an Event on every object
 * with a mistake, an outcome for each change. Pure; deciding again after the plan was applied gives no actions.
 */
export function decide(snapshot: Snapshot): Plan {
  const { now, hubId, machineConfigs, image, pools } = snapshot;
  const waiting = missing(snapshot);
  const { forMode, issues: configurationIssues } = configurations(snapshot);
  const ownershipIssues: Issue[] = [];

  const planOf = (pool: KubernetesObject): PoolPlan => {
    const name = machineConfigName(pool.metadata.name);
    const machineConfig = machineConfigs.find(({ metadata }) => metadata.name === name);
    const ownership = ownershipOf(pool, machineConfig, machineConfigs);
    ownershipIssues.push(...ownership.issues);
    if (!image || waiting.length > 0) {
      const reports = waiting.filter(({ regarding }) => regarding === pool);
      const reason = reports[0]?.message ?? "";
      return { decision: { subject: name, verdict: "waiting", reason }, actions: [], outcomes: [], reports };
    }
    const configuration = forMode(ownership.mode);
    const one: PoolSnapshot = {
      now,
      hubId,
      pool,
      image,
      machineConfig,
      reports: snapshot.reports,
      configuration,
    };
    return ownership.mode === "own" ? planOwnPool(one) : planVerifiedPool(one, ownership.reason);
  };

  const poolPlans = pools.map(planOf);
  const issues = [
    ...new Map(
      [...configurationIssues(), ...ownershipIssues].map((issue) => [identity(issue), issue]),
    ).values(),
  ];
  const owners = [...snapshot.mirrorObjects, ...pools, ...(image ? [image] : [])];
  const reportActions = planReports({
    reports: [...reportsOf(issues, owners), ...poolPlans.flatMap(({ reports }) => reports)],
    existing: snapshot.reports,
    component: reportComponent,
    labels: reportLabels,
    now,
  });
  const outcomes = poolPlans.flatMap((plan) => plan.outcomes);
  const refusal =
    hasErrors(issues) && outcomes.length === 0 && reportActions.some(({ verb }) => verb !== "delete")
      ? [
          outcomeEvent({
            type: "dev.hubrelay.mirror-config.refused",
            source: hubId,
            subject: "cluster",
            from: reportActions.map(({ object }) => object.metadata.resourceVersion ?? "").join(),
            data: { issues },
          }),
        ]
      : [];
  const requeues = poolPlans.flatMap(({ requeueAt }) => (requeueAt ? [requeueAt] : []));
  const soonest = requeues.sort((a, b) => a.getTime() - b.getTime())[0];

  return {
    decisions: poolPlans.map(({ decision }) => decision),
    issues,
    outcomes: [...outcomes, ...refusal],
    actions: [...poolPlans.flatMap(({ actions }) => actions), ...reportActions],
    ...(soonest ? { requeueAt: soonest } : {}),
  };
}
