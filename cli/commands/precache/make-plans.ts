import { queryGraphs } from "#functions/precache-plan/read-input.ts";
import { openUpdateGraph } from "#shared/adapters/update-graph/open-update-graph.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { type KubernetesObject, namespaceOf } from "#shared/domain/kubernetes/object.ts";
import type { PrecachePlan } from "#shared/domain/precache-model/precache-plan.ts";
import { emptySpec } from "#shared/domain/precache-model/precaching-spec.ts";
import { planAll } from "#shared/domain/precache-plan/plan-all.ts";
import type { PlanInput, PlanOptions } from "#shared/domain/precache-plan/plan-input.ts";
import { graphLookup } from "#shared/domain/precache-plan/plan-precache.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import type { HubInputs } from "./plan-inputs.ts";
import type { SizedPlan } from "./precache-sizes.ts";

/**
 * Plans the pre-caching of ClusterGroupUpgrades, in their order. Throws `UsageError` for settings of the update graph that
 * cannot be used.
 */
export async function plans(
  inputs: readonly Omit<PlanInput, "lookup">[],
  options: PlanOptions,
  updateGraph: string | undefined,
): Promise<readonly PrecachePlan[]> {
  const environment = updateGraph ? { ...process.env, HUBRELAY_UPDATE_GRAPH: updateGraph } : process.env;
  const graph = await inEnvironment(async () => openUpdateGraph(environment));
  try {
    const complete: PlanInput[] = [];
    for (const input of inputs)
      complete.push({ ...input, lookup: graphLookup(await queryGraphs(input, options, graph)) });
    return planAll(complete, options).map(({ plan }) => plan);
  } finally {
    graph.close();
  }
}

/** An unreadable ClusterGroupUpgrade has an entry, too. */
function withoutPlan(cgu: KubernetesObject, issues: readonly Issue[]): PrecachePlan {
  const { name } = cgu.metadata;
  return { namespace: namespaceOf(cgu), name, spec: emptySpec, conditions: [], clusters: [], issues };
}

/** A ClusterGroupUpgrade with its plan; what cannot be read has an empty one. */
type Planned = Readonly<{ cgu: KubernetesObject }> &
  (Readonly<{ planned: SizedPlan }> | Readonly<{ plan: PrecachePlan }>);

export type HubPlans = Readonly<{ hub: HubInputs; plans: readonly Planned[] }>;

/** Plans what was read of one hub. */
export async function plansOf(
  hub: HubInputs,
  given: Readonly<{ how: PlanOptions; hubVersion: string | undefined; updateGraph: string | undefined }>,
): Promise<HubPlans> {
  const { how, hubVersion, updateGraph } = given;
  const known = hubVersion === undefined ? hub.inputs : hub.inputs.map((input) => ({ ...input, hubVersion }));
  const made = await plans(known, how, updateGraph);
  const planned = made.flatMap((plan, index): readonly Planned[] => {
    const input = known[index];
    return input ? [{ cgu: input.cgu, planned: { plan, input } }] : [];
  });
  const unplanned = hub.damaged.map(({ object, issues }) => ({
    cgu: object,
    plan: withoutPlan(object, issues),
  }));
  return { hub, plans: [...planned, ...unplanned] };
}
