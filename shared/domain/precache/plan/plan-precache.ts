import { sentence } from "../../credentials/redact.ts";
import { fieldsOf, isStringList } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { conditionTypes, storedCondition, storedConditions } from "../model/conditions.ts";
import { asTalmStores, readUpgradeSpec } from "../model/upgrade-spec.ts";
import { waitingForPlacement } from "./placements.ts";
import { detached, planClusters } from "./plan-clusters.ts";
import { clustersSelected, condition, notValidated, policyProblem, validated } from "./plan-conditions.ts";
import { type Draft, fails, finish, type PlanResult, refuse } from "./plan-draft.ts";
import type { PlanInput, PlanOptions } from "./plan-input.ts";
import { planSpec } from "./plan-spec.ts";
import { sortManagedPolicies } from "./policies/managed-policies.ts";
import { releaseRemedy, validateRelease } from "./policies/platform-image.ts";
import { dependencyProblem, invalidPolicyIssues, unusablePolicies } from "./policies/policy-issues.ts";
import { crashAtDependencies, crashAtSubscriptions } from "./policies/talm-crash.ts";
import { asksForPrecaching } from "./precaching-owner.ts";
import { readConfig } from "./read-config.ts";
import { selectClusters } from "./selection/select-clusters.ts";
import { enforcedIssues, formIssues, selectionIssues, topologyIssues } from "./selection/selection-issues.ts";
import { versionSkewIssues } from "./selection/version-skew.ts";

/** True when this generation of the object was planned before: then all names in it were managed clusters. */
function wereSelected({ metadata, status }: KubernetesObject): boolean {
  const precaching = fieldsOf(status).precaching;
  const { clusters } = fieldsOf(precaching);
  const planned = [conditionTypes.clustersSelected, conditionTypes.precacheSpecValid].some((type) => {
    const stored = storedCondition(storedConditions(status), type);
    return stored?.status === "True" && stored.observedGeneration === metadata.generation;
  });
  return planned && isStringList(clusters) && clusters.length > 0;
}

/**
 * Plans the pre-caching of one ClusterGroupUpgrade: its clusters, content and conditions. Pure: the responses of the
 * update graph are part of the input.
 *
 * By default it follows TALM's documentation, without TALM's defects. With `compat: "talm"` it returns exactly the
 * results of the Topology Aware Lifecycle Manager; its main branch also has a condition for rollouts without clusters.
 */
export function planPrecache(input: PlanInput, options: PlanOptions = {}): PlanResult {
  const result = planContent(input, options);
  const waiting = options.branch === "main" ? waitingForPlacement(input.cgu, input.placements) : undefined;
  if (!waiting) return result;
  return { ...result, plan: { ...result.plan, conditions: [...result.plan.conditions, waiting] } };
}

function planContent(input: PlanInput, options: PlanOptions): PlanResult {
  const { cgu, managedClusters, policies, hubVersion, lookup } = input;
  const { compat } = options;
  const upgrade = compat === "talm" ? asTalmStores(cgu) : readUpgradeSpec(cgu);
  const start: Draft = {
    input,
    options,
    upgrade,
    conditions: [],
    clusters: [],
    issues: formIssues(cgu, upgrade, compat),
  };

  const selection = selectClusters(upgrade, managedClusters, compat !== "talm" && wereSelected(cgu));
  if (!selection.ok) {
    const failed = condition(
      conditionTypes.clustersSelected,
      "False",
      "ClusterNotFound",
      sentence`Unable to select clusters: ${selection.message}`,
    );
    return refuse(start, failed, { code: "ClusterNotFound", ...selection.culprit });
  }
  const names = selection.clusters.map(({ metadata }) => metadata.name);
  const selected: Draft = {
    ...start,
    conditions: [clustersSelected],
    clusters: names.map((name) => ({ name, action: "precache", reason: "It is selected." })),
    issues: [...start.issues, ...selectionIssues(cgu, selection, names)],
  };

  const isPolicyRollout = upgrade.manifestWorkTemplates.length === 0;
  const sorted = sortManagedPolicies(isPolicyRollout ? upgrade.managedPolicies : [], names, policies, compat);
  if (compat === "talm" && sorted.crashing !== undefined)
    return fails(
      selected,
      sentence`the object templates of policy ${sorted.crashing} are not a list of objects`,
    );
  const problem = policyProblem(sorted);
  if (problem)
    return refuse(
      { ...selected, issues: [...selected.issues, ...invalidPolicyIssues(sorted, policies)] },
      problem,
      { code: problem.reason, ...unusablePolicies(sorted) },
    );
  // TALM knows only its own field.
  const isAsked = compat === "talm" ? upgrade.preCaching : asksForPrecaching(cgu);
  const release = validateRelease(sorted.present, { compat, preCaching: isAsked, lookup });
  if (!release.ok && release.crashesTalm) return fails(selected, release.message);
  if (!release.ok)
    return refuse(selected, notValidated("InvalidPlatformImage", release.message), {
      code: "InvalidPlatformImage",
      path: "spec.managedPolicies",
      value: upgrade.managedPolicies,
      remedy: releaseRemedy(
        release,
        "Correct the ClusterVersion in the managed policies, or name the image in spec.desiredUpdate.image.",
      ),
    });
  const atDependencies = compat === "talm" ? crashAtDependencies(sorted.present) : undefined;
  if (atDependencies !== undefined) return fails(selected, atDependencies);
  const dependency = dependencyProblem(sorted.present);
  if (dependency !== undefined)
    return refuse(selected, notValidated("UnresolvableDenpendency", dependency), {
      code: "UnresolvableDependency",
      path: "spec.managedPolicies",
      value: upgrade.managedPolicies,
      remedy: "Name policies in the order of their dependencies.",
    });
  const atSubscriptions = compat === "talm" ? crashAtSubscriptions(sorted.present) : undefined;
  if (atSubscriptions !== undefined) return fails(selected, atSubscriptions);

  const config = readConfig(selected);
  const hasUserImages = config.values.additionalImages.length > 0;
  const clusters = [
    ...planClusters(selection.clusters, sorted.present, selected, hasUserImages),
    ...selection.gone.map(detached),
  ];
  const going = new Set(clusters.filter(({ action }) => action === "precache").map(({ name }) => name));
  const goingClusters = selection.clusters.filter(({ metadata }) => going.has(metadata.name));
  const ofClusters =
    compat === "talm" || !isAsked
      ? []
      : [
          ...versionSkewIssues(cgu, goingClusters, hubVersion),
          ...topologyIssues(cgu, goingClusters, input.nodes),
        ];
  const valid: Draft = {
    ...selected,
    conditions: [clustersSelected, validated],
    clusters,
    issues: [...selected.issues, ...enforcedIssues(cgu, sorted, compat)],
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
  // A reference to a missing object is an error even when no cluster has anything to pull.
  if (going.size === 0 && (compat === "talm" || config.missing === ""))
    return finish({ ...valid, issues: [...valid.issues, ...config.issues] });
  return planSpec({ ...valid, issues: [...valid.issues, ...config.issues, ...ofClusters] }, sorted, config);
}
