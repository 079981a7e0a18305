import { isSameJson } from "#shared/domain/json/same-json.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { isFinalState, isRunningState } from "#shared/domain/precache/model/cluster-state.ts";
import { readUpgradeSpec } from "#shared/domain/precache/model/upgrade-spec.ts";
import { configReferenceOf } from "#shared/domain/precache/plan/values/pre-caching-config.ts";
import { bandwidthAnnotations } from "#shared/domain/precache/progress/bandwidth-annotations.ts";
import { readLimits, siteLabelOf } from "#shared/domain/precache/progress/concurrency.ts";
import { type PlannedUpgrade, plannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import { type Records, recordsOf } from "#shared/domain/precache/progress/precaching-report.ts";
import { cguLabels } from "#shared/domain/precache/work/work-identity.ts";
import { needsLabels } from "#shared/domain/windows/gate.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Hint } from "#shared/runtime/controller.ts";

/** The hub objects that the named clusters of one ClusterGroupUpgrade depend on. */
export type Snapshot = Readonly<{
  now: Date;
  cgu: KubernetesObject | undefined;
  /** The clusters that hints name. */
  clusters: readonly string[];
  /** The PreCachingReports of the CGU. */
  reports: readonly KubernetesObject[];
  /** The CGU's PreCachingConfig, if it names one. */
  config: KubernetesObject | undefined;
  /** The other ClusterGroupUpgrades: they may want the same clusters and registries. */
  others: readonly KubernetesObject[];
  /** The ManagedClusters with a site label when sites are limited; all when windows select by labels. */
  managedClusters: readonly KubernetesObject[];
  /** The MaintenanceWindows. */
  windows: readonly KubernetesObject[];
  /** The ManifestWorks of named clusters that run, read only when windows may suspend them or have done so. */
  works: readonly KubernetesObject[];
}>;

const noDependencies = {
  reports: [],
  config: undefined,
  others: [],
  managedClusters: [],
  windows: [],
  works: [],
} as const;

async function configOf(hub: HubReader, cgu: KubernetesObject): Promise<KubernetesObject | undefined> {
  const reference = configReferenceOf(cgu, readUpgradeSpec(cgu).preCachingConfigRef);
  return reference && hub.get(kinds.PreCachingConfig, reference.name, reference.namespace);
}

/** True when downloads are timed and a cluster has to use the reported total of another of its architecture. */
function needsArchitectures(
  windowReferrers: readonly KubernetesObject[],
  windows: readonly KubernetesObject[],
  records: Records,
  clusters: readonly string[],
): boolean {
  const { elsewhere, bySite } = bandwidthAnnotations(windowReferrers).bandwidths;
  const isTimed = windows.length > 0 && (elsewhere !== undefined || bySite.size > 0);
  const hasTotal = (cluster: string) => (records.get(cluster)?.bytesTotal ?? 0) > 0;
  return isTimed && !clusters.every(hasTotal) && records.keys().some(hasTotal);
}

/**
 * Returns the ManagedClusters whose labels matter: those with a site when sites have limits or bandwidths; all when
 * windows select by labels, or when architectures matter.
 */
async function labelledClusters(
  hub: HubReader,
  windowReferrers: readonly KubernetesObject[],
  windows: readonly KubernetesObject[],
  areArchitecturesNeeded: boolean,
): Promise<readonly KubernetesObject[]> {
  if (areArchitecturesNeeded || needsLabels(windows, windowReferrers)) return hub.list(kinds.ManagedCluster);
  const label = siteLabelOf(windowReferrers);
  const countsBySite = bandwidthAnnotations(windowReferrers).bandwidths.bySite.size > 0;
  return label && (readLimits(windowReferrers).site || countsBySite)
    ? hub.list(kinds.ManagedCluster, { withLabel: label })
    : [];
}

/** Returns the ManifestWorks of running clusters, of any attempt. */
async function worksOf(
  hub: HubReader,
  { name, states }: PlannedUpgrade,
  clusters: readonly string[],
): Promise<readonly KubernetesObject[]> {
  const running = clusters.filter((cluster) => isRunningState(states[cluster]));
  const found = await Promise.all(
    running.map((namespace) => hub.list(kinds.ManifestWork, { namespace, labels: cguLabels(name) })),
  );
  return found.flat();
}

/** The part that users change; the rest is status, which changes constantly. */
const userFields = ({ metadata, spec }: KubernetesObject) => ({
  annotations: metadata.annotations ?? {},
  spec,
});

/**
 * Reads the ClusterGroupUpgrade, because it may be written, and then what its clusters depend on: a few requests for
 * all clusters of a batch. The ManifestWorks that may be written are read before the windows that decide about them,
 * and before the objects that name those windows. Otherwise a decision from older windows could be written with a
 * newer resourceVersion.
 */
export async function observe(
  hub: HubReader,
  key: string,
  now: Date,
  external: ExternalPorts,
  hints: readonly Hint[] = [],
): Promise<Snapshot> {
  const [namespace = "", name = ""] = key.split("/");
  const clusters = [...new Set(hints.flatMap(({ reference }) => reference.cluster ?? []))];
  const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, namespace);
  const base = { now, cgu, clusters };
  const upgrade = cgu && plannedUpgrade(cgu);
  if (!cgu || clusters.length === 0 || !upgrade) return { ...base, ...noDependencies };
  const ofThis = { namespace, labels: cguLabels({ namespace, name }) };
  // Ended runs are only removed, which depends on nothing else.
  if (clusters.every((cluster) => isFinalState(upgrade.states[cluster])))
    return { ...base, ...noDependencies, reports: await hub.list(kinds.PreCachingReport, ofThis) };
  const [windowsBefore, reports] = await Promise.all([
    hub.list(kinds.MaintenanceWindow),
    hub.list(kinds.PreCachingReport, ofThis),
  ]);
  const records = recordsOf(reports, upgrade.revision);
  // A Job may still be suspended by a deleted window, or because its cluster was unreachable.
  const isSuspended = (cluster: string) => {
    const { reason = "", seen } = records.get(cluster) ?? {};
    const isBack = upgrade.states[cluster] === "PreparingToStart" && seen !== undefined;
    return isBack || reason === "Suspended" || reason === "ClusterNotReached";
  };
  const mayBeSuspended = windowsBefore.length > 0 ? clusters : clusters.filter(isSuspended);
  const works = await worksOf(hub, upgrade, mayBeSuspended);
  const [windows, config, all] = await Promise.all([
    works.length > 0 ? hub.list(kinds.MaintenanceWindow) : windowsBefore,
    configOf(hub, cgu),
    hub.list(kinds.ClusterGroupUpgrade),
  ]);
  const isThis = ({ metadata }: KubernetesObject) =>
    metadata.name === name && metadata.namespace === namespace;
  const later = all.find(isThis);
  if (works.length > 0 && later && !isSameJson(userFields(later), userFields(cgu)))
    return observe(hub, key, now, external, hints);
  const windowReferrers = [cgu, ...(config ? [config] : [])];
  const areArchitecturesNeeded = needsArchitectures(windowReferrers, windows, records, clusters);
  const managedClusters = await labelledClusters(hub, windowReferrers, windows, areArchitecturesNeeded);
  const others = all.filter((one) => !isThis(one));
  return { ...base, reports, config, others, managedClusters, windows, works };
}
