import type { Unread } from "../issues/coverage.ts";
import { annotationIssue, fieldIssue, type Issue, issueObject } from "../issues/issue.ts";
import { fieldsOf, withoutRepeats } from "../kubernetes/json/values.ts";
import {
  displayName,
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
} from "../precache-model/upgrade-spec.ts";
import { startAnnotationIssues } from "../precache-start/rollout/check-before.ts";
import { enableTimeIssues } from "../precache-start/rollout/hand-back.ts";
import { sentence } from "../text/redact.ts";
import { configReferenceIssues, type Given, missingClusters, missingPolicies } from "./missing-references.ts";
import { isOver } from "./plan-all.ts";
import { planPrecache } from "./plan-precache.ts";
import { patternIssues } from "./plan-spec.ts";
import { rootPolicyLabel } from "./policies/managed-policies.ts";
import { catalogValueIssues, releaseValueIssues } from "./policies/policy-issues.ts";
import { precachingRequestIssues } from "./precaching-owner.ts";
import { managedClustersIn } from "./selection/declared-clusters.ts";
import { formIssues } from "./selection/selection-issues.ts";
import { additionalImageIssues, configMapImageIssues, overridesConfigMap } from "./values/image-issues.ts";
import { readPreCachingConfig } from "./values/pre-caching-config.ts";
import { mergeValues } from "./values/precaching-values.ts";

/** The kinds whose API versions are checked. Other programs use ConfigMap and ClusterVersion, which are left out. */
const planKinds = [
  kinds.ClusterGroupUpgrade,
  kinds.PreCachingConfig,
  kinds.Policy,
  kinds.ManagedCluster,
] as const;

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

/** Returns an error for each object whose kind pre-caching reads, but whose API version it does not read. */
export function otherVersionIssues(objects: readonly KubernetesObject[]): readonly Issue[] {
  return objects.flatMap((object) => {
    const other = planKinds.find((kind) => isOtherVersion(kind, object));
    return other ? [otherVersion(other, object)] : [];
  });
}

/** The kinds that `checkPrecaching` checks. */
export const precacheKinds = [kinds.ClusterGroupUpgrade, kinds.PreCachingConfig] as const;
/** The kinds that upgrades reference. Only the fields that matter for the references are checked. */
export const precacheReferences = [kinds.ManagedCluster, kinds.Policy] as const;

function configIssues(config: KubernetesObject): readonly Issue[] {
  const { values, issues } = readPreCachingConfig(config);
  const object = issueObject(config);
  const sources = { config: values, configObject: object, configMap: undefined, fromPolicies: emptySpec };
  const merged = mergeValues(sources, "standard");
  return [
    ...issues,
    ...additionalImageIssues(values.additionalImages, object),
    // PackagesWithoutIndex is no issue here: a policy may have the index.
    ...merged.issues.filter(({ code }) => code !== "PackagesWithoutIndex"),
    ...patternIssues(values.excludePrecachePatterns, (index) => ({
      object,
      path: `spec.excludePrecachePatterns[${index}]`,
    })),
  ];
}

type Findings = Readonly<{ issues: readonly Issue[]; unread: readonly Unread[] }>;

/** The codes of issues that are not reported here, because only `precache plan` reads the state of clusters. */
const ofState: ReadonlySet<Issue["code"]> = new Set([
  "ClusterTopologyUnknown",
  "ClusterVersionUnknown",
  "HubVersionUnknown",
]);
/** The codes of issues that are not reported if the input lacks objects, because such a gap can cause these issues. */
const ofGaps: ReadonlySet<Issue["code"]> = new Set([
  "CatalogNotManaged",
  "NoClusterSelected",
  "PackagesWithoutIndex",
  "SpecInconsistent",
]);

const madeUp = (name: string): KubernetesObject => {
  const { apiVersion, kind } = kinds.ManagedCluster;
  return { apiVersion, kind, metadata: { name } };
};

const someImage = `quay.io/openshift-release-dev/ocp-release@sha256:${"0".repeat(64)}`;

function planned(cgu: KubernetesObject, given: Given): Findings & Readonly<{ clusters: readonly string[] }> {
  const { managedClusters, isWhole } = given;
  const upgrade = readUpgradeSpec(cgu);
  const { clusters = [], clusterSelector, clusterLabelSelectors, managedPolicies } = upgrade;
  const areClustersKnown = isWhole || managedClusters.size > 0;
  const hasSelector = (clusterSelector ?? clusterLabelSelectors) !== undefined;
  const isUnknown = !areClustersKnown && hasSelector;
  const isOfPolicies = upgrade.manifestWorkTemplates.length === 0;
  const usable = managedPolicies.filter((name) => given.policies.get(name)?.some((one) => !isDisabled(one)));
  const areAbsent = isOfPolicies && usable.length < managedPolicies.length;
  const reference = configReferenceOf(cgu, upgrade.preCachingConfigRef);
  const config = reference && given.configs.get(`${reference.namespace}/${reference.name}`);
  const named = isUnknown ? [...clusters, "any"] : clusters;
  const spec = {
    ...fieldsOf(cgu.spec),
    managedPolicies: usable,
    ...(reference && !config ? { preCachingConfigRef: undefined } : {}),
    ...(isUnknown ? { clusters: named, clusterSelector: undefined, clusterLabelSelectors: undefined } : {}),
  };
  const roots = [...given.policies.values()].flat();
  const ofPolicies = roots.filter(({ metadata }) => isOfPolicies && usable.includes(metadata.name));
  let asksGraph = false;
  const { plan } = planPrecache({
    ...given,
    cgu: { ...cgu, spec },
    managedClusters: [
      ...(hasSelector ? managedClusters.values() : []),
      ...named.flatMap((name) => managedClusters.get(name) ?? madeUp(name)),
    ],
    // The status of a root policy is removed, because it lists real clusters, and not the made-up cluster `any`.
    policies: isUnknown ? roots.map(({ status: _, ...one }) => one) : [...roots, ...given.copies],
    preCachingConfigs: config ? [config] : [],
    configMaps: given.overrides,
    nodes: new Map(),
    imageBasedUpgrades: [],
    hubVersion: undefined,
    lookup: () => {
      asksGraph = true;
      return { ok: true, image: someImage };
    },
  });
  const hasGaps = areAbsent || isUnknown || (reference !== undefined && !config);
  const isReported = ({ code }: Issue) => !ofState.has(code) && !(hasGaps && ofGaps.has(code));
  const unread = (why: Unread["why"], isSo: boolean): readonly Unread[] =>
    isSo && !isWhole ? [{ what: displayName(issueObject(cgu)), why, count: 1 }] : [];
  return {
    clusters: isUnknown ? [] : plan.clusters.map(({ name }) => name),
    issues: [
      ...(areClustersKnown ? missingClusters(cgu, given) : []),
      ...(isOfPolicies && given.policies.size > 0 ? missingPolicies(cgu, given) : []),
      ...plan.issues.filter(isReported),
      ...releaseValueIssues(ofPolicies),
      ...catalogValueIssues(ofPolicies),
    ],
    unread: [
      ...unread("no-cluster", isUnknown),
      ...unread("no-policy", isOfPolicies && managedPolicies.length > 0 && given.policies.size === 0),
      ...unread("no-graph", asksGraph),
    ],
  };
}

function annotationIssues(cgu: KubernetesObject, { configs }: Given): readonly Issue[] {
  const reference = configReferenceOf(cgu, readUpgradeSpec(cgu).preCachingConfigRef);
  const config = reference && configs.get(`${reference.namespace}/${reference.name}`);
  const annotated = config ? [cgu, config] : [cgu];
  return [...precachingRequestIssues(cgu), ...enableTimeIssues(cgu), ...startAnnotationIssues(annotated)];
}

const clusterRequests = [
  [retryAnnotation, "failed"],
  [checkAnnotation, "all"],
] as const;

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

function upgradeFindings(cgu: KubernetesObject, given: Given): Findings {
  const ofFields = [...formIssues(cgu, readUpgradeSpec(cgu)), ...annotationIssues(cgu, given)];
  // Objects that a finished upgrade references may have been deleted since.
  if (isOver(cgu)) return { issues: ofFields, unread: [] };
  const { clusters, issues, unread } = planned(cgu, given);
  return {
    issues: [
      ...ofFields,
      ...configReferenceIssues(cgu, given),
      ...given.overrides
        .filter((configMap) => namespaceOf(configMap) === namespaceOf(cgu))
        .flatMap(configMapImageIssues),
      ...issues,
      // If no cluster is known, the names in annotations cannot be checked.
      ...(clusters.length > 0 ? requestIssues(cgu, clusters) : []),
    ],
    unread,
  };
}

/**
 * Returns the issues of ClusterGroupUpgrades and PreCachingConfigs. With `isWhole`, `objects` are all objects of a hub,
 * and a missing object is an error instead of a warning. `unread` lists upgrades that were checked only in part.
 */
export function checkPrecaching(
  objects: readonly KubernetesObject[],
  { isWhole = false }: Readonly<{ isWhole?: boolean }> = {},
): Findings {
  // Objects of another API version are checked too, so that all of their problems are reported at once.
  const of = (kind: Kind) => objects.filter((object) => isOfAnyVersion(kind, object));
  const byName = (kind: Kind, nameOf: (object: KubernetesObject) => string) =>
    new Map(of(kind).map((object) => [nameOf(object), object]));
  const nameOf = ({ metadata }: KubernetesObject) => metadata.name;
  const isRoot = ({ metadata }: KubernetesObject) => metadata.labels?.[rootPolicyLabel] === undefined;
  const given: Given = {
    configs: byName(kinds.PreCachingConfig, (config) => `${namespaceOf(config)}/${config.metadata.name}`),
    managedClusters: new Map(managedClustersIn(objects).map((object) => [nameOf(object), object])),
    policies: Map.groupBy(of(kinds.Policy).filter(isRoot), nameOf),
    copies: of(kinds.Policy).filter((policy) => !isRoot(policy)),
    upgrades: of(kinds.ClusterGroupUpgrade),
    overrides: of(kinds.ConfigMap).filter((one) => nameOf(one) === overridesConfigMap),
    isWhole,
  };
  const ofUpgrades = given.upgrades.map((cgu) => upgradeFindings(cgu, given));
  return {
    issues: withoutRepeats([
      ...otherVersionIssues(objects),
      ...[...given.configs.values()].flatMap(configIssues),
      ...ofUpgrades.flatMap(({ issues }) => issues),
    ]),
    unread: ofUpgrades.flatMap(({ unread }) => unread),
  };
}
