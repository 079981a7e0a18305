import { queryGraphs, readPlanInput } from "#functions/precache-plan/read-input.ts";
import { openUpdateGraph } from "#shared/adapters/update-graph/open-update-graph.ts";
import { inputCoverage, type Unread } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { PrecachePlan } from "#shared/domain/precache-model/precache-plan.ts";
import { planAll } from "#shared/domain/precache-plan/plan-all.ts";
import { type PlanInput, type PlanOptions, planInputsOf } from "#shared/domain/precache-plan/plan-input.ts";
import { graphLookup } from "#shared/domain/precache-plan/plan-precache.ts";
import { hubVersionOf } from "#shared/domain/precache-plan/selection/cluster-facts.ts";
import { clusterDeclarations } from "#shared/domain/precache-plan/selection/declared-clusters.ts";
import {
  otherVersionIssues,
  precacheKinds,
  precacheReferences,
} from "#shared/domain/precache-plan/validate-precaching.ts";
import { clusterSides } from "../../io/clusters/cluster-sides.ts";
import type { PlaceIssues } from "../../io/hub-manifests.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { manifestsOrHub, type PlacedSide, placesOnHub } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import type { SizedPlan } from "./precache-sizes.ts";

/** The inputs for the plans of one hub, with the issues found while reading these inputs. */
export type HubInputs = Readonly<{
  /** The name of the hub; empty if there is only one hub. */
  name: string;
  inputs: readonly Omit<PlanInput, "lookup">[];
  issues: readonly Issue[];
  /** The objects of `-f`; undefined for the live hub. */
  objects: readonly KubernetesObject[] | undefined;
  /** Documents that are not Kubernetes objects, and hidden folders. */
  unread: readonly Unread[];
  place: PlaceIssues;
}>;

/** Reads the live hub's ClusterGroupUpgrades and the objects that they refer to. */
export function readHubInputs(): Promise<HubInputs["inputs"]> {
  return onLiveHub(async (hub) => {
    const cgus = await hub.list(kinds.ClusterGroupUpgrade);
    return Promise.all(cgus.map((cgu) => readPlanInput(hub, cgu)));
  });
}

/** The kinds on which plans depend, except ConfigMaps, which files of one hub may define twice. */
export const planKinds = [
  ...precacheKinds,
  ...precacheReferences,
  ...clusterDeclarations,
  kinds.ManagedClusterInfo,
  kinds.ImageBasedGroupUpgrade,
  kinds.ClusterVersion,
];

function inputsOf({ objects, issues, ...side }: PlacedSide): Omit<HubInputs, "unread"> {
  const clusterVersion = objects.find(
    (object) => isKind(kinds.ClusterVersion, object) && object.metadata.name === "version",
  );
  return {
    ...side,
    inputs: planInputsOf(objects, hubVersionOf(clusterVersion)),
    issues: [...issues, ...otherVersionIssues(objects)],
    objects,
  };
}

/** Reads the inputs for plans from the manifests of each hub or, without `filename`, from the live hub. */
export async function readInputs(filename: readonly string[] | undefined): Promise<readonly HubInputs[]> {
  if (!filename) {
    const inputs = await readHubInputs();
    return [{ name: "", inputs, issues: [], objects: undefined, unread: [], place: await placesOnHub() }];
  }
  const read = await manifestsOrHub(filename, [kinds.ClusterGroupUpgrade]);
  requireObjects(read, { paths: filename, command: "precache plan" });
  // A ClusterGroupUpgrade enforces OCM Policies that only inform, so such policies are no gap in the coverage.
  const unread = read.unread.filter(({ why }) => why === "document" || why === "hidden");
  const sides = clusterSides(read, planKinds, [kinds.ClusterGroupUpgrade]);
  return sides.map((side) => ({ ...inputsOf(side), unread }));
}

/** Returns the parts of a hub's input that were not read. `ofSizes` are the issues found while reading sizes. */
export function unreadBeside(
  { objects = [], unread, issues }: HubInputs,
  ofSizes: readonly Issue[],
): readonly Unread[] {
  return inputCoverage({ objects, unread, issues: [...issues, ...ofSizes], assumed: [] }, planKinds).unread;
}

/** Returns the plan of each input, in order. Throws `UsageError` if the settings of the update graph cannot be used. */
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

export type HubPlans = Readonly<{ hub: HubInputs; plans: readonly SizedPlan[] }>;

/** Plans the pre-caching of a hub's ClusterGroupUpgrades. `hubVersion` replaces the version of the hub. */
export async function plansOf(
  hub: HubInputs,
  given: Readonly<{ how: PlanOptions; hubVersion: string | undefined; updateGraph: string | undefined }>,
): Promise<HubPlans> {
  const { how, hubVersion, updateGraph } = given;
  const inputs =
    hubVersion === undefined ? hub.inputs : hub.inputs.map((input) => ({ ...input, hubVersion }));
  const made = await plans(inputs, how, updateGraph);
  return {
    hub,
    plans: inputs.flatMap((input, index) => {
      const plan = made[index];
      return plan ? [{ plan, input }] : [];
    }),
  };
}
