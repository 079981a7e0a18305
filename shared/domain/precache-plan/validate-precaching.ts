import { annotationIssue, fieldIssue, type Issue, issueObject } from "../issues/issue.ts";
import { isDnsSubdomain } from "../issues/object-name.ts";
import {
  isKind,
  isOfAnyVersion,
  type Kind,
  type KubernetesObject,
  kinds,
  namespaceOf,
} from "../kubernetes/object.ts";
import { isDisabled } from "../manifests/embedded-objects.ts";
import { emptySpec } from "../precache-model/precaching-spec.ts";
import {
  checkAnnotation,
  configReferenceOf,
  readUpgradeSpec,
  retryAnnotation,
  type UpgradeSpec,
} from "../precache-model/upgrade-spec.ts";
import { bandwidthAnnotations } from "../precache-start/bandwidth.ts";
import { readLimits } from "../precache-start/limits.ts";
import { parallelPulls } from "../precache-start/parallel-pulls.ts";
import { checkBefore } from "../precache-start/rollout/check-before.ts";
import { enableTimeIssues } from "../precache-start/rollout/hand-back.ts";
import { requiresReady } from "../precache-start/rollout/require-ready.ts";
import { sentence } from "../text/redact.ts";
import { isOver } from "./plan-all.ts";
import { patternIssues } from "./plan-spec.ts";
import { rootPolicyLabel, sortManagedPolicies } from "./policies/managed-policies.ts";
import { invalidPolicyIssues } from "./policies/policy-issues.ts";
import { catalogValueIssues, releaseValueIssues } from "./policies/policy-values.ts";
import { precachingRequestIssues } from "./precaching-owner.ts";
import { selectClusters } from "./selection/select-clusters.ts";
import { blockingIssues, formIssues, selectionIssues, templateIssues } from "./selection/selection-issues.ts";
import { additionalImageIssues, configMapImageIssues } from "./values/image-issues.ts";
import { overridesConfigMap } from "./values/overrides-config-map.ts";
import { readPreCachingConfig } from "./values/pre-caching-config.ts";
import { mergeValues } from "./values/precaching-values.ts";

/** The kinds to check. ConfigMaps and ClusterVersions are not included: other programs use them too. */
const planKinds = [
  kinds.ClusterGroupUpgrade,
  kinds.PreCachingConfig,
  kinds.Policy,
  kinds.ManagedCluster,
] as const;

/** Matches a kind of this name in another version, or in a group with the same prefix. */
function isOtherVersion(kind: Kind, object: KubernetesObject): boolean {
  const [group = ""] = kind.apiVersion.split("/");
  return object.kind === kind.kind && !isKind(kind, object) && object.apiVersion.startsWith(group);
}

function otherVersion({ apiVersion }: Kind, object: KubernetesObject): Issue {
  return fieldIssue(object, "apiVersion", object.apiVersion, {
    code: "WrongApiVersion",
    message: sentence`${object.kind} is not read as ${object.apiVersion}.`,
    remedy: sentence`Write apiVersion: ${apiVersion}.`,
  });
}

/** Returns an error for each object of precaching whose API version nothing reads. */
export function otherVersionIssues(objects: readonly KubernetesObject[]): readonly Issue[] {
  return objects.flatMap((object) => {
    const other = planKinds.find((kind) => isOtherVersion(kind, object));
    return other ? [otherVersion(other, object)] : [];
  });
}

/** The kinds that `precacheIssues` checks. */
export const precacheKinds = [kinds.ClusterGroupUpgrade, kinds.PreCachingConfig] as const;
/** The kinds of the objects that they refer to: of these, only what the reference depends on is checked. */
export const precacheReferences = [kinds.ManagedCluster, kinds.Policy, kinds.ManifestWorkReplicaSet] as const;

/** The objects that others refer to, by name; PreCachingConfigs by `namespace/name`. */
type Given = Readonly<{
  configs: ReadonlyMap<string, KubernetesObject>;
  managedClusters: ReadonlyMap<string, KubernetesObject>;
  /** Root policies only: several namespaces may have one of the name. */
  policies: ReadonlyMap<string, readonly KubernetesObject[]>;
  upgrades: readonly KubernetesObject[];
  templates: readonly KubernetesObject[];
  /** The deprecated ConfigMaps. */
  overrides: readonly KubernetesObject[];
  isWhole: boolean;
}>;

/** Returns the issues of a PreCachingConfig that do not depend on a ClusterGroupUpgrade or its policies. */
function configIssues(config: KubernetesObject): readonly Issue[] {
  const { values, issues } = readPreCachingConfig(config);
  const object = issueObject(config);
  const sources = { config: values, configObject: object, configMap: undefined, fromPolicies: emptySpec };
  const merged = mergeValues(sources, "standard");
  return [
    ...issues,
    ...additionalImageIssues(values.additionalImages, object),
    // The index may come from a policy.
    ...merged.issues.filter(({ code }) => code !== "PackagesWithoutIndex"),
    ...patternIssues(values.excludePrecachePatterns, (index) => ({
      object,
      path: `spec.excludePrecachePatterns[${index}]`,
    })),
  ];
}

type Missing = Pick<Issue, "code" | "path" | "value"> & Readonly<{ kind: Kind; name: string }>;

/** What is not among some files may exist elsewhere. */
function missing(cgu: KubernetesObject, absent: Missing, { isWhole }: Given): Issue {
  const { code, path, value, kind, name } = absent;
  const isName = isDnsSubdomain(String(value));
  const why = isName ? "it is not among the manifests" : "no object can have this name";
  return fieldIssue(cgu, path, value, {
    code,
    severity: isWhole || !isName ? "error" : "warning",
    message: sentence`No such ${kind.kind}: ${name}${isWhole ? "" : sentence`; ${why}`}`,
    remedy: sentence`Create the ${kind.kind}, or correct the reference.`,
  });
}

function configReferenceIssues(cgu: KubernetesObject, given: Given): readonly Issue[] {
  const reference = configReferenceOf(cgu, readUpgradeSpec(cgu).preCachingConfigRef);
  if (!reference) return [];
  const name = `${reference.namespace}/${reference.name}`;
  if (given.configs.has(name)) return reference.issues;
  const code = "PreCachingConfigMissing";
  const path = "spec.preCachingConfigRef";
  return [
    ...reference.issues,
    missing(cgu, { code, path, value: reference.name, kind: kinds.PreCachingConfig, name }, given),
  ];
}

/** Returns the clusters that a ClusterGroupUpgrade may select; one that it names but that is not given is made up. */
function candidates(
  { clusters = [], clusterSelector, clusterLabelSelectors }: UpgradeSpec,
  { managedClusters }: Given,
): readonly KubernetesObject[] {
  const { apiVersion, kind } = kinds.ManagedCluster;
  const named = clusters.map((name) => managedClusters.get(name) ?? { apiVersion, kind, metadata: { name } });
  return clusterSelector || clusterLabelSelectors ? [...managedClusters.values(), ...named] : named;
}

type Selected = Readonly<{ names: readonly string[]; issues: readonly Issue[] }>;

/** Clusters are seldom kept in files: without any, only a selection by name is judged. */
function selectionOf(cgu: KubernetesObject, given: Given): Selected {
  const { managedClusters, isWhole } = given;
  const upgrade = readUpgradeSpec(cgu);
  const { clusters = [], clusterSelector, clusterLabelSelectors } = upgrade;
  const areKnown = isWhole || managedClusters.size > 0;
  if (!areKnown && (clusterSelector || clusterLabelSelectors)) return { names: [], issues: [] };
  const code = "ClusterNotFound";
  const notFound = clusters.flatMap((name, index) => {
    if (!areKnown || managedClusters.has(name)) return [];
    const path = `spec.clusters[${index}]`;
    return [missing(cgu, { code, path, value: name, kind: kinds.ManagedCluster, name }, given)];
  });
  const selection = selectClusters(upgrade, candidates(upgrade, given));
  if (!selection.ok) {
    const { path, value, remedy } = selection.culprit;
    const refused = fieldIssue(cgu, path, value, { code, message: selection.message, remedy });
    return { names: [], issues: [...notFound, refused] };
  }
  const names = selection.clusters.map(({ metadata }) => metadata.name);
  return { names, issues: [...notFound, ...selectionIssues(cgu, selection, names)] };
}

/** Policies are often generated: without any they are not judged. */
function policyIssues(cgu: KubernetesObject, clusters: readonly string[], given: Given): readonly Issue[] {
  const { managedPolicies, manifestWorkTemplates } = readUpgradeSpec(cgu);
  if (given.policies.size === 0 || manifestWorkTemplates.length > 0) return [];
  const code = "NotAllManagedPoliciesExist";
  const absent = managedPolicies.flatMap((name, index) => {
    const path = `spec.managedPolicies[${index}]`;
    const found = given.policies.get(name);
    if (!found) return [missing(cgu, { code, path, value: name, kind: kinds.Policy, name }, given)];
    if (!found.every(isDisabled)) return [];
    const message = sentence`The policy ${name} is disabled, so that it is not on any cluster`;
    return [fieldIssue(cgu, path, name, { code, message, remedy: "Enable it, or remove it from the list." })];
  });
  const policies = managedPolicies.flatMap((name) => given.policies.get(name) ?? []);
  const sorted = sortManagedPolicies(managedPolicies, clusters, policies);
  const read = [...sorted.present, ...sorted.compliant];
  return [
    ...absent,
    ...invalidPolicyIssues(sorted, policies),
    ...releaseValueIssues(read),
    ...catalogValueIssues(read),
  ];
}

/** Limits may be on the ClusterGroupUpgrade or on its PreCachingConfig. */
function annotationIssues(cgu: KubernetesObject, { configs }: Given): readonly Issue[] {
  const reference = configReferenceOf(cgu, readUpgradeSpec(cgu).preCachingConfigRef);
  const config = reference && configs.get(`${reference.namespace}/${reference.name}`);
  const annotated = config ? [cgu, config] : [cgu];
  return [
    ...precachingRequestIssues(cgu),
    ...enableTimeIssues(cgu),
    ...[readLimits, parallelPulls, bandwidthAnnotations, checkBefore, requiresReady].flatMap(
      (read) => read(annotated).issues,
    ),
  ];
}

/** The annotations that name clusters of the upgrade, and the word for several of them. */
const clusterRequests = [
  [retryAnnotation, "failed"],
  [checkAnnotation, "all"],
] as const;

/** Returns warnings about requests for clusters that the upgrade does not have. */
function requestIssues(cgu: KubernetesObject, clusters: readonly string[]): readonly Issue[] {
  return clusterRequests.flatMap(([annotation, word]) => {
    const names = cgu.metadata.annotations?.[annotation]?.split(",").map((name) => name.trim()) ?? [];
    const unknown = names.filter((name) => name !== "" && name !== word && !clusters.includes(name));
    return unknown.map((name) =>
      annotationIssue(cgu, annotation, {
        code: "ClusterNotFound",
        severity: "warning",
        value: name,
        message: sentence`${name} is not a cluster of this upgrade, so that the request has no effect on it.`,
        remedy: `Write names of its clusters, or ${word}.`,
      }),
    );
  });
}

function upgradeIssues(cgu: KubernetesObject, given: Given): readonly Issue[] {
  const ofFields = [...formIssues(cgu, readUpgradeSpec(cgu)), ...annotationIssues(cgu, given)];
  // Objects that it refers to may be gone since.
  if (isOver(cgu)) return ofFields;
  const { names, issues } = selectionOf(cgu, given);
  return [
    ...ofFields,
    ...configReferenceIssues(cgu, given),
    ...given.overrides
      .filter((configMap) => namespaceOf(configMap) === namespaceOf(cgu))
      .flatMap(configMapImageIssues),
    ...blockingIssues(cgu, readUpgradeSpec(cgu), given.upgrades),
    ...templateIssues(cgu, readUpgradeSpec(cgu), given.templates),
    ...issues,
    // Without names the selection is not known.
    ...(names.length > 0 ? requestIssues(cgu, names) : []),
    ...policyIssues(cgu, names, given),
  ];
}

/**
 * Returns the issues of ClusterGroupUpgrades and PreCachingConfigs, and of what they refer to. An object that is not among
 * these is a warning, because it may exist elsewhere, unless the objects are all of a hub: `isWhole`. What only the update
 * graph, a registry or the state of clusters shows is left to `precache plan`.
 */
export function precacheIssues(
  objects: readonly KubernetesObject[],
  { isWhole = false }: Readonly<{ isWhole?: boolean }> = {},
): readonly Issue[] {
  // What else is wrong with an object of another version shows at once.
  const of = (kind: Kind) => objects.filter((object) => isOfAnyVersion(kind, object));
  const byName = (kind: Kind, nameOf: (object: KubernetesObject) => string) =>
    new Map(of(kind).map((object) => [nameOf(object), object]));
  const nameOf = ({ metadata }: KubernetesObject) => metadata.name;
  const isRoot = ({ metadata }: KubernetesObject) => metadata.labels?.[rootPolicyLabel] === undefined;
  const given: Given = {
    configs: byName(kinds.PreCachingConfig, (config) => `${namespaceOf(config)}/${config.metadata.name}`),
    managedClusters: byName(kinds.ManagedCluster, nameOf),
    policies: Map.groupBy(of(kinds.Policy).filter(isRoot), nameOf),
    upgrades: of(kinds.ClusterGroupUpgrade),
    templates: of(kinds.ManifestWorkReplicaSet),
    overrides: of(kinds.ConfigMap).filter((one) => nameOf(one) === overridesConfigMap),
    isWhole,
  };
  return [
    ...otherVersionIssues(objects),
    ...[...given.configs.values()].flatMap(configIssues),
    ...given.upgrades.flatMap((cgu) => upgradeIssues(cgu, given)),
  ];
}
