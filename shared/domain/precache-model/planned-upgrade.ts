import { fieldsOf, isRecord, isStringList } from "../kubernetes/json/values.ts";
import { firstAnnotated, type KubernetesObject, namespaceOf } from "../kubernetes/object.ts";
import type { Records } from "./cluster-record.ts";
import { storedCondition, storedConditions } from "./conditions.ts";
import { type PrecachingSpec, readStoredSpec, revisionOf } from "./precaching-spec.ts";
import type { CguName } from "./work-identity.ts";
import { workloadImageOf } from "./workload-image.ts";

/** A ClusterGroupUpgrade's plan and progress, as its status records them. */
export type PlannedUpgrade = Readonly<{
  name: CguName;
  clusters: readonly string[];
  content: PrecachingSpec;
  workloadImage: string;
  revision: string;
  timeoutMinutes: number;
  /** How many clusters may pre-cache at once. 0 or less, or more than the number of clusters, means all. */
  maxConcurrency: number;
  /** The states in the status, by cluster name. After a change of the content, they describe the previous content. */
  states: Readonly<Record<string, string>>;
  /** True when the whole upgrade has ended, including the rollout. */
  isOver: boolean;
  /** True if the objects on the managed clusters stay after the upgrade (`deleteObjects: false`). */
  keepsObjects: boolean;
}>;

function storedStates(stored: unknown, clusters: ReadonlySet<string>): Readonly<Record<string, string>> {
  const states = Object.entries(fieldsOf(stored)).flatMap(([cluster, state]) =>
    typeof state === "string" && clusters.has(cluster) ? [[cluster, state] as const] : [],
  );
  return Object.fromEntries(states);
}

const defaultTimeoutMinutes = 240;
/** 68 years: Kubernetes counts a Job's deadline in nanoseconds, and a much longer deadline would overflow. */
const maxTimeoutMinutes = Math.floor(2 ** 31 / 60);

function timeoutMinutesOf(strategy: unknown): number {
  const { timeout } = fieldsOf(strategy);
  return typeof timeout === "number" && timeout > 0
    ? Math.min(timeout, maxTimeoutMinutes)
    : defaultTimeoutMinutes;
}

/** Returns the plan and progress of a ClusterGroupUpgrade; undefined if hubrelay has not planned it. */
export function plannedUpgrade(cgu: KubernetesObject): PlannedUpgrade | undefined {
  const { metadata, status, spec } = cgu;
  const precaching = fieldsOf(status).precaching;
  // TALM never writes `clusters`.
  if (!isRecord(precaching) || !isStringList(precaching.clusters) || precaching.clusters.length === 0)
    return undefined;
  const content = readStoredSpec(precaching.spec);
  const workloadImage = workloadImageOf(cgu);
  const fields = fieldsOf(spec);
  const strategy = fieldsOf(fields.remediationStrategy);
  const actions = fieldsOf(fields.actions);
  const after = fieldsOf(actions.afterCompletion);
  return {
    name: { namespace: namespaceOf(cgu), name: metadata.name },
    clusters: precaching.clusters,
    content,
    workloadImage,
    revision: revisionOf({ spec: content, workloadImage }),
    timeoutMinutes: timeoutMinutesOf(strategy),
    maxConcurrency: typeof strategy.maxConcurrency === "number" ? strategy.maxConcurrency : 0,
    states: storedStates(precaching.status, new Set(precaching.clusters)),
    isOver: storedCondition(storedConditions(status), "Succeeded") !== undefined,
    keepsObjects: after.deleteObjects === false,
  };
}

/** Returns the ClusterGroupUpgrade with these states and conditions in its status. */
export function withStates(
  cgu: KubernetesObject,
  states: Readonly<Record<string, string>>,
  conditions: readonly unknown[] = storedConditions(cgu.status),
): KubernetesObject {
  const status = fieldsOf(cgu.status);
  const precaching = fieldsOf(status.precaching);
  return { ...cgu, status: { ...status, conditions, precaching: { ...precaching, status: states } } };
}

/** Annotation of a ClusterGroupUpgrade or PreCachingConfig: the key of the ManagedCluster label that names the site. */
export const siteLabelAnnotation = "hubrelay.dev/site-label";

/** Returns the first value of `siteLabelAnnotation` on these objects; undefined if it is absent or empty. */
export function siteLabelOf(objects: readonly KubernetesObject[]): string | undefined {
  return firstAnnotated(objects, siteLabelAnnotation)?.value || undefined;
}

/** Returns a function that returns the labels of the ManagedCluster with a name, or undefined for an unknown name. */
export function labelsByCluster(
  managedClusters: readonly KubernetesObject[],
): (cluster: string) => Readonly<Record<string, string>> | undefined {
  const labels = new Map(managedClusters.map(({ metadata }) => [metadata.name, metadata.labels]));
  return (cluster) => labels.get(cluster);
}

type Labels = Readonly<Record<string, string>> | undefined;

/** Label with the architecture, on ManagedClusters and on nodes. */
export const architectureLabel = "kubernetes.io/arch";

/** Returns the architecture of a cluster with these labels; `amd64` if the labels name none. */
export function architectureOf(labels: Labels): string {
  return labels?.[architectureLabel] || "amd64";
}

/** Returns, by architecture, the highest total of bytes that a run has reported. */
export function reportedTotals(
  records: Records,
  labelsOf: (cluster: string) => Labels,
): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const [cluster, { bytesTotal = 0 }] of records) {
    if (bytesTotal === 0) continue;
    const architecture = architectureOf(labelsOf(cluster));
    // Only runs that have read the catalogs report the whole total.
    if (bytesTotal > (totals.get(architecture) ?? 0)) totals.set(architecture, bytesTotal);
  }
  return totals;
}
