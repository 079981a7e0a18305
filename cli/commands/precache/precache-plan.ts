import { queryGraphs, readPlanInput } from "#functions/precache-plan/read-input.ts";
import { planningSettings } from "#shared/adapters/settings/planning-settings.ts";
import { updateGraphIn } from "#shared/adapters/update-graph/file-update-graph.ts";
import { openUpdateGraph } from "#shared/adapters/update-graph/open-update-graph.ts";
import {
  type Coverage,
  coverageIssues,
  coverageOf,
  coverageOfAll,
  inputCoverage,
  type Unread,
} from "#shared/domain/covered/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type KubernetesObject, kinds, namespaceOf } from "#shared/domain/kubernetes/object.ts";
import type { DamagedObject } from "#shared/domain/manifests/located-object.ts";
import type { PrecachePlan } from "#shared/domain/precache/model/precache-plan.ts";
import { emptySpec } from "#shared/domain/precache/model/precaching-spec.ts";
import { planAll } from "#shared/domain/precache/plan/plan-all.ts";
import { planCoverage } from "#shared/domain/precache/plan/plan-coverage.ts";
import {
  type PlanInput,
  type PlanningSettings,
  type PlanOptions,
  planInputsOf,
} from "#shared/domain/precache/plan/plan-input.ts";
import { graphLookup } from "#shared/domain/precache/plan/plan-precache.ts";
import { hubVersionOf, minorOf } from "#shared/domain/precache/plan/selection/cluster-facts.ts";
import {
  otherVersionIssues,
  precacheKinds,
  precacheReferences,
} from "#shared/domain/precache/plan/validate-precaching.ts";
import type { Profile } from "#shared/domain/precache/plan/values/precaching-values.ts";
import { type Bandwidths, noBandwidths } from "#shared/domain/precache/slots/bandwidth.ts";
import {
  clusterSides,
  listedBySide,
  type NamedSide,
  type OfSide,
  ofSide,
  reportClusters,
} from "../../io/clusters/cluster-sides.ts";
import { placeText, printIssues } from "../../io/issue-text.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { manifestsOrHub, type PlaceIssues, withoutPlaces } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { coverageText } from "../../io/report/coverage-text.ts";
import { print, type SafeText, safe } from "../../io/safe-text.ts";
import { objectNames, rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { requireUpdateGraph } from "../../io/update-graph-file.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { isSelected, type SelectionOptions } from "../../program/object-selection.ts";
import { type ForecastPlan, readForecastObjects, withForecasts } from "./plan-forecast.ts";
import { planTable } from "./plan-table.ts";
import type { SizedPlan, SizedPlans, SizesOptions } from "./precache-sizes.ts";
import { namedUpgrades } from "./upgrade-requests.ts";

export type PrecachePlanOptions = Readonly<{
  /** Absent: the live hub. */
  filename?: readonly string[];
  output: "table" | "name" | StructuredFormat;
  profile?: Profile;
  compat?: "talm" | "talm=main";
  updateGraph?: string;
  hubVersion?: string;
  sizes?: true;
  bandwidth?: Bandwidths;
  pullSecret?: string;
  /** The time to be done by. */
  by?: Date;
  /** Lists every cluster. */
  clusters?: boolean;
  requireCoverage?: true;
  issues: "text" | "json";
}> &
  SelectionOptions;

type CoveredPlan = ForecastPlan & OfSide & Readonly<{ coverage: Coverage }>;

/** Returns what all plans cover together; `unread` is what was not read where there is none. */
const coverageOfPlans = (plans: readonly CoveredPlan[], unread: readonly Unread[]): Coverage =>
  coverageOfAll([
    ...plans.map(({ coverage }) => coverage),
    ...(plans.length > 0 ? [] : [coverageOf({ read: [], unread, assumed: [] })]),
  ]);

function shownPlans(
  plans: readonly CoveredPlan[],
  unread: readonly Unread[],
  { output, clusters = false }: Pick<PrecachePlanOptions, "output" | "clusters">,
): SafeText {
  return rendered(plans, output, (clean) =>
    output === "name"
      ? objectNames(kinds.ClusterGroupUpgrade, clean)
      : safe`${listedBySide(clean, (some) => planTable(some, clusters))}${coverageText(coverageOfPlans(clean, unread))}`,
  );
}

/** A cluster whose end is unknown is not known to be late, and not known to be in time either. */
function exitCodeOf(plans: readonly ForecastPlan[]): number {
  const going = plans.filter(({ clusters }) => clusters.some(({ action }) => action !== "leave out"));
  if (going.some(({ forecast }) => forecast?.late)) return exitCodes.issues;
  return going.some(({ forecast }) => !forecast || forecast.unknown > 0) ? exitCodes.usage : exitCodes.fine;
}

/** What is planned on one hub, and the problems of reading it. */
type Inputs = Readonly<{
  /** The hub's name; empty where there is one. */
  name: string;
  inputs: readonly Omit<PlanInput, "lookup">[];
  /** ClusterGroupUpgrades that cannot be read, so that they have no plan. */
  damaged: readonly DamagedObject[];
  issues: readonly Issue[];
  /** The objects that `-f` names; undefined for the live hub. */
  objects: readonly KubernetesObject[] | undefined;
  /** Documents that are no objects. */
  unread: readonly Unread[];
  place: PlaceIssues;
}>;

/** Reads ClusterGroupUpgrades of the live hub, and what they refer to. */
export function readHubInputs({ compat, branch }: PlanOptions): Promise<Inputs["inputs"]> {
  return onLiveHub(async (hub) => {
    const cgus = await hub.list(kinds.ClusterGroupUpgrade);
    const also = { withCopies: compat === "talm", withPlacements: branch === "main" };
    return Promise.all(cgus.map((cgu) => readPlanInput(hub, cgu, also)));
  });
}

/** What a plan is made of; ConfigMaps are read by name, and do not tell hubs apart. */
const planKinds = [
  ...precacheKinds,
  ...precacheReferences,
  kinds.ManagedClusterInfo,
  kinds.ImageBasedGroupUpgrade,
  kinds.Placement,
  kinds.ClusterVersion,
];

function inputsOf({ objects, issues, ...side }: NamedSide): Omit<Inputs, "unread"> {
  const damaged = side.damaged.filter(({ object }) => isKind(kinds.ClusterGroupUpgrade, object));
  const reported = new Set(damaged.flatMap((one) => one.issues.map(placeText)));
  const clusterVersion = objects.find(
    (object) => isKind(kinds.ClusterVersion, object) && object.metadata.name === "version",
  );
  return {
    ...side,
    inputs: planInputsOf(objects, hubVersionOf(clusterVersion)),
    damaged,
    issues: [...issues.filter((issue) => !reported.has(placeText(issue))), ...otherVersionIssues(objects)],
    objects,
  };
}

/** Reads ClusterGroupUpgrades and what they refer to, from the manifests of each hub or from the live hub. */
async function readInputs(
  filename: readonly string[] | undefined,
  options: PlanOptions,
): Promise<readonly Inputs[]> {
  if (!filename) {
    const inputs = await readHubInputs(options);
    return [
      { name: "", inputs, damaged: [], issues: [], objects: undefined, unread: [], place: withoutPlaces },
    ];
  }
  const read = await manifestsOrHub(filename, [kinds.ClusterGroupUpgrade]);
  requireObjects(read, { paths: filename, command: "precache plan" });
  // That a policy does not enforce what it holds is no gap: a ClusterGroupUpgrade has it enforced.
  const unread = read.unread.filter(({ why }) => why === "document");
  return clusterSides(read, planKinds).map((side) => ({ ...inputsOf(side), unread }));
}

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

/** Returns how to plan. TALM's main branch has one profile. */
function planOptions(
  { profile, compat }: Pick<PrecachePlanOptions, "profile" | "compat">,
  preset: PlanningSettings,
): PlanOptions {
  const { indexRepositories } = preset;
  if (compat !== "talm=main")
    return { profile: profile ?? preset.profile, indexRepositories, ...(compat ? { compat } : {}) };
  if (profile === "standard")
    throw new UsageError("--compat talm=main needs --profile hardened: TALM's main branch has no other.");
  return { profile: "hardened", compat: "talm", branch: "main" };
}

/** An unreadable ClusterGroupUpgrade has an entry, too. */
function withoutPlan(cgu: KubernetesObject, issues: readonly Issue[]): PrecachePlan {
  const { name } = cgu.metadata;
  return { namespace: namespaceOf(cgu), name, spec: emptySpec, conditions: [], clusters: [], issues };
}

async function addSizes(
  asked: readonly SizedPlan[],
  objects: readonly KubernetesObject[] | undefined,
  options: SizesOptions,
): Promise<SizedPlans> {
  const { withSizes } = await import("./precache-sizes.ts");
  return withSizes(asked, objects, options);
}

/** A ClusterGroupUpgrade with its plan; what cannot be read has an empty one. */
type Planned = Readonly<{ cgu: KubernetesObject }> &
  (Readonly<{ planned: SizedPlan }> | Readonly<{ plan: PrecachePlan }>);

type HubPlans = Readonly<{ hub: Inputs; plans: readonly Planned[] }>;

async function plansOf(
  hub: Inputs,
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

/** Returns what was not read besides the ClusterGroupUpgrades: the same for each of a hub. */
function unreadBeside(
  { objects = [], unread, issues }: Inputs,
  ofSizes: readonly Issue[],
): readonly Unread[] {
  return inputCoverage({ objects, unread, issues: [...issues, ...ofSizes], assumed: [] }, planKinds).unread;
}

/**
 * Runs `hubrelay precache plan`: prints the plan of each ClusterGroupUpgrade on standard output, issues also on standard
 * error. Plans all of them, since they take turns on a shared cluster, and prints the named ones. Returns the exit code.
 */
export async function precachePlan(names: readonly string[], options: PrecachePlanOptions): Promise<number> {
  const choices = await inEnvironment(async () => planningSettings(process.env));
  const { filename, issues: format } = options;
  const how = planOptions(options, choices);
  // An empty variable counts as unset.
  const updateGraph = options.updateGraph || updateGraphIn(...(filename ?? []));
  const { hubVersion = choices.hubVersion } = options;
  const { sizes, bandwidth: bandwidths = noBandwidths, pullSecret, by } = options;
  if (hubVersion !== undefined && !minorOf(hubVersion))
    throw new UsageError(`--hub-version ${hubVersion}: not a version such as 4.20 or 4.20.3`);
  if (!sizes && options.bandwidth) throw new UsageError("--bandwidth needs --sizes.");
  if (!sizes && pullSecret !== undefined) throw new UsageError("--pull-secret needs --sizes.");
  if (updateGraph !== undefined) await requireUpdateGraph(updateGraph);
  const hubs = await readInputs(filename, how);
  reportClusters(hubs, format);
  const made: HubPlans[] = [];
  for (const hub of hubs) made.push(await plansOf(hub, { how, hubVersion, updateGraph }));
  const selected = made.flatMap(({ plans: own }) => own.filter(({ cgu }) => isSelected(cgu, options)));
  const asked = new Set(namedUpgrades(selected, names, ({ cgu }) => cgu));
  const shown: CoveredPlan[] = [];
  const issues: Issue[] = [];
  const notRead: Unread[] = [];
  for (const { hub, plans: all } of made) {
    const own = all.filter((one) => asked.has(one));
    const planned = own.flatMap((one) => ("planned" in one ? [one.planned] : []));
    const { plans: sized, issues: sizeIssues } = sizes
      ? await addSizes(planned, hub.objects, { bandwidths, pullSecret })
      : { plans: planned, issues: [] };
    const unplanned = own.flatMap((one) => ("plan" in one ? [one.plan] : []));
    const read = how.compat ? undefined : (hub.objects ?? (await readForecastObjects()));
    const forecasts = read
      ? withForecasts(sized, read, { by, bandwidth: options.bandwidth })
      : sized.map(({ plan }) => plan);
    const found: readonly ForecastPlan[] = [...forecasts, ...unplanned];
    const unread = unreadBeside(hub, sizeIssues);
    notRead.push(...unread);
    const covered = found.map((plan, index) => ({
      ...plan,
      coverage: planCoverage(plan, planned[index]?.input, unread),
    }));
    shown.push(...ofSide(hub, covered));
    issues.push(...hub.place([...hub.issues, ...sizeIssues, ...found.flatMap((plan) => plan.issues)]));
  }
  print(shownPlans(shown, notRead, options));
  const notCovered = options.requireCoverage ? coverageIssues(coverageOfPlans(shown, notRead)) : [];
  const code = printIssues([...issues, ...notCovered], format);
  return code === exitCodes.fine && by ? exitCodeOf(shown) : code;
}
