import { fieldsOf, isStringList } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { conditionTypes, storedCondition, storedConditions } from "../precache-model/conditions.ts";
import type { PlannedCluster } from "../precache-model/precache-plan.ts";
import { readUpgradeSpec, type UpgradeSpec } from "../precache-model/upgrade-spec.ts";
import { sentence } from "../text/redact.ts";
import { clustersSelected, condition, notValidated, policyProblem, validated } from "./plan-conditions.ts";
import { type Draft, finish, hold, type PlanResult, refuse } from "./plan-draft.ts";
import type { PlanInput, PlanOptions } from "./plan-input.ts";
import { errorSummary, planSpec } from "./plan-spec.ts";
import { complianceWith, type ManagedPolicies, sortManagedPolicies } from "./policies/managed-policies.ts";
import { releaseRemedy, validateRelease } from "./policies/platform-image.ts";
import {
  dependencyProblem,
  invalidPolicyIssues,
  releaseValueIssues,
  unusablePolicies,
} from "./policies/policy-issues.ts";
import {
  type GraphLookup,
  type GraphQuery,
  type GraphResponse,
  graphKey,
  notQueried,
} from "./policies/update-graph.ts";
import { asksForPrecaching } from "./precaching-owner.ts";
import { readConfig } from "./read-config.ts";
import {
  isLeaving,
  isRefused,
  isUnavailable,
  notSingleNode,
  versionSkewIssues,
} from "./selection/cluster-facts.ts";
import { leftToImageBasedUpgrade } from "./selection/image-based-upgrades.ts";
import { type SelectedClusters, selectClusters } from "./selection/select-clusters.ts";
import { enforcedIssues, formIssues, selectionIssues, topologyIssues } from "./selection/selection-issues.ts";

const leaving = "The ManagedCluster is being deleted.";
const gone = "The ManagedCluster no longer exists.";

/** Reports whether a cluster is left out because its ManagedCluster is missing or being deleted. */
export function isDetached({ reason }: PlannedCluster): boolean {
  return reason === leaving || reason === gone;
}

/** Returns the plan of a selected cluster whose ManagedCluster no longer exists. */
export function detached(name: string): PlannedCluster {
  return { name, action: "leave out", reason: gone };
}

/** Returns the clusters in start order: canaries first, as in TALM; unreachable last, so that none blocks a slot. */
function startOrder(
  clusters: ReadonlyMap<string, KubernetesObject>,
  { canaries }: UpgradeSpec,
): readonly KubernetesObject[] {
  const names = new Set([...canaries.filter((canary) => clusters.has(canary)), ...clusters.keys()]);
  const ordered = [...names].flatMap((name) => clusters.get(name) ?? []);
  const isReached = (cluster: KubernetesObject) => !isRefused(cluster) && !isUnavailable(cluster);
  return [...ordered.filter(isReached), ...ordered.filter((cluster) => !isReached(cluster))];
}

function planClusters(
  selected: readonly KubernetesObject[],
  present: readonly KubernetesObject[],
  { input, upgrade }: Pick<Draft, "input" | "upgrade">,
  hasUserImages: boolean,
): readonly PlannedCluster[] {
  const isManifestWork = upgrade.manifestWorkTemplates.length > 0;
  const compliances = present.map((policy) => ({ policy, complianceOf: complianceWith(policy) }));
  const otherUpgrade = leftToImageBasedUpgrade(input.imageBasedUpgrades);
  const planCluster = (cluster: KubernetesObject): PlannedCluster => {
    const { name } = cluster.metadata;
    const unfit = isLeaving(cluster)
      ? leaving
      : (notSingleNode(cluster, input.nodes.get(name)) ?? otherUpgrade(cluster));
    const leaveOut = (reason: string): PlannedCluster => ({ name, action: "leave out", reason });
    const precache = (reason: string): PlannedCluster => ({ name, action: "precache", reason });
    if (unfit) return leaveOut(unfit);
    const unmet = compliances.find(({ complianceOf }) => complianceOf(name) === "NonCompliant");
    if (unmet) return precache(sentence`It does not comply with policy ${unmet.policy.metadata.name}.`);
    if (isManifestWork && present.length === 0) return precache("It is part of a rollout of ManifestWorks.");
    if (hasUserImages) return precache("Its additional images are requested, regardless of the policies.");
    return leaveOut("It complies with every managed policy, or none is bound to it.");
  };
  const byName = new Map(selected.map((cluster) => [cluster.metadata.name, cluster]));
  return startOrder(byName, upgrade).map(planCluster);
}

/** Reports whether an earlier plan selected clusters for this `spec`, so that all named clusters existed then. */
function wereSelected({ metadata, status }: KubernetesObject): boolean {
  const precaching = fieldsOf(status).precaching;
  const { clusters } = fieldsOf(precaching);
  const planned = [conditionTypes.clustersSelected, conditionTypes.precacheSpecValid].some((type) => {
    const stored = storedCondition(storedConditions(status), type);
    return stored?.status === "True" && stored.observedGeneration === metadata.generation;
  });
  return planned && isStringList(clusters) && clusters.length > 0;
}

type Selected = Extract<SelectedClusters, { ok: true }>;

function refusedSelection(
  draft: Draft,
  { message, culprit }: Exclude<SelectedClusters, Selected>,
): PlanResult {
  const failed = condition(
    conditionTypes.clustersSelected,
    "False",
    "ClusterNotFound",
    sentence`Unable to select clusters: ${message}`,
  );
  return refuse(draft, failed, { code: "ClusterNotFound", ...culprit });
}

function refusedPolicies(draft: Draft, sorted: ManagedPolicies): PlanResult | undefined {
  const { input, issues } = draft;
  const problem = policyProblem(sorted);
  if (!problem) return undefined;
  return refuse({ ...draft, issues: [...issues, ...invalidPolicyIssues(sorted, input.policies)] }, problem, {
    code: problem.reason,
    ...unusablePolicies(sorted),
  });
}

function refusedValues(draft: Draft, { present, compliant }: ManagedPolicies): PlanResult | undefined {
  const found = releaseValueIssues([...present, ...compliant]);
  if (found.length === 0) return undefined;
  const issues = [...draft.issues, ...found];
  return finish(hold({ ...draft, issues }, notValidated("InvalidPlatformImage", errorSummary(found))));
}

function refusedRelease(
  draft: Draft,
  { present }: ManagedPolicies,
  preCaching: boolean,
): PlanResult | undefined {
  const { lookup } = draft.input;
  const release = validateRelease(present, { preCaching, lookup });
  if (release.ok) return undefined;
  return refuse(draft, notValidated("InvalidPlatformImage", release.message), {
    code: "InvalidPlatformImage",
    path: "spec.managedPolicies",
    value: draft.upgrade.managedPolicies,
    remedy: releaseRemedy(
      release,
      "Correct the ClusterVersion in the managed policies, or name the image in spec.desiredUpdate.image.",
    ),
  });
}

function refusedOrder(draft: Draft, { present }: ManagedPolicies): PlanResult | undefined {
  const dependency = dependencyProblem(present);
  if (dependency === undefined) return undefined;
  return refuse(draft, notValidated("UnresolvableDenpendency", dependency), {
    code: "UnresolvableDependency",
    path: "spec.managedPolicies",
    value: draft.upgrade.managedPolicies,
    remedy: "Name policies in the order of their dependencies.",
  });
}

/** Returns the plan of one ClusterGroupUpgrade. It follows TALM's documentation, without the defects of TALM's code. */
export function planPrecache(input: PlanInput, options: PlanOptions = {}): PlanResult {
  const { cgu, managedClusters, policies } = input;
  const upgrade = readUpgradeSpec(cgu);
  const start: Draft = {
    input,
    options,
    upgrade,
    conditions: [],
    clusters: [],
    issues: formIssues(cgu, upgrade),
  };

  const selection = selectClusters(upgrade, managedClusters, wereSelected(cgu));
  if (!selection.ok) return refusedSelection(start, selection);
  const names = selection.clusters.map(({ metadata }) => metadata.name);
  const selected: Draft = {
    ...start,
    conditions: [clustersSelected],
    clusters: names.map((name) => ({ name, action: "precache", reason: "It is selected." })),
    issues: [...start.issues, ...selectionIssues(cgu, selection, names)],
  };

  const isPolicyRollout = upgrade.manifestWorkTemplates.length === 0;
  const sorted = sortManagedPolicies(isPolicyRollout ? upgrade.managedPolicies : [], names, policies);
  const isAsked = asksForPrecaching(cgu);
  return (
    refusedPolicies(selected, sorted) ??
    refusedValues(selected, sorted) ??
    refusedRelease(selected, sorted, isAsked) ??
    refusedOrder(selected, sorted) ??
    planValidated(selected, selection, sorted, isAsked)
  );
}

function planValidated(
  draft: Draft,
  selection: Selected,
  sorted: ManagedPolicies,
  isAsked: boolean,
): PlanResult {
  const { cgu, hubVersion, nodes } = draft.input;
  const config = readConfig(draft);
  const hasUserImages = config.values.additionalImages.length > 0;
  const clusters = [
    ...planClusters(selection.clusters, sorted.present, draft, hasUserImages),
    ...selection.gone.map(detached),
  ];
  const valid: Draft = {
    ...draft,
    conditions: [clustersSelected, validated],
    clusters,
    issues: [...draft.issues, ...enforcedIssues(cgu, sorted)],
  };
  if (!isAsked)
    return finish({
      ...valid,
      clusters: clusters.map(({ name }) => ({
        name,
        action: "leave out",
        reason: "The ClusterGroupUpgrade does not request pre-caching.",
      })),
    });

  const going = new Set(clusters.filter(({ action }) => action === "precache").map(({ name }) => name));
  const issues = [...valid.issues, ...config.issues];
  // A reference to a missing object is an error even if no cluster pre-caches.
  if (going.size === 0 && config.missing === "") return finish({ ...valid, issues });
  const goingClusters = selection.clusters.filter(({ metadata }) => going.has(metadata.name));
  issues.push(
    ...versionSkewIssues(cgu, goingClusters, hubVersion),
    ...topologyIssues(cgu, goingClusters, nodes),
  );
  return planSpec({ ...valid, issues }, sorted, config);
}

/** Returns the queries that planning needs and `responses` lacks. Their responses may make one more query necessary. */
export function graphQueries(
  input: Omit<PlanInput, "lookup">,
  options: PlanOptions = {},
  responses: ReadonlyMap<string, GraphResponse> = new Map(),
): readonly GraphQuery[] {
  const missing = new Map<string, GraphQuery>();
  const lookup: GraphLookup = (query) => {
    const response = responses.get(graphKey(query));
    if (!response) missing.set(graphKey(query), query);
    return response ?? notQueried;
  };
  planPrecache({ ...input, lookup }, options);
  return [...missing.values()];
}

/** Returns a function that looks up the response to a query by its `graphKey`; without a response, `notQueried`. */
export function graphLookup(responses: ReadonlyMap<string, GraphResponse>): GraphLookup {
  return (query) => responses.get(graphKey(query)) ?? notQueried;
}
