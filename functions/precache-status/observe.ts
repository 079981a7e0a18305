import { isSameJson } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds, parseNamespacedName } from "#shared/domain/kubernetes/object.ts";
import type { FailedPart } from "#shared/domain/plan/plan.ts";
import { isChecking, missingImages } from "#shared/domain/precache-model/check-record.ts";
import { statesFor } from "#shared/domain/precache-model/cluster-record.ts";
import { siteLabelOf } from "#shared/domain/precache-model/planned-upgrade.ts";
import { currentUpgrade, recordsOf } from "#shared/domain/precache-model/precaching-report.ts";
import { configReferenceOf, readUpgradeSpec } from "#shared/domain/precache-model/upgrade-spec.ts";
import { type CguName, cguLabels, workName } from "#shared/domain/precache-model/work-identity.ts";
import { checkRunFor } from "#shared/domain/precache-progress/cluster-check.ts";
import { follow } from "#shared/domain/precache-progress/follow.ts";
import { readLimits, requiresReady } from "#shared/domain/precache-start/limits.ts";
import { maySlotBeTaken, type Surroundings } from "#shared/domain/precache-start/slot-changes.ts";
import type { Clock } from "#shared/domain/windows/clock.ts";
import { needsLabels } from "#shared/domain/windows/gate.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { ReconcileRequest } from "#shared/runtime/controller.ts";
import { runConcurrently } from "#shared/runtime/run-concurrently.ts";
import type { ReadinessSources } from "./readiness.ts";

const readsAtOnce = 16;

/** A ClusterGroupUpgrade, the reports about its clusters, and their ManifestWorks. */
export type Snapshot = Readonly<{
  now: Date;
  clockAheadSeconds?: Clock["clockAheadSeconds"];
  hubId: string;
  name: CguName;
  cgu: KubernetesObject | undefined;
  reports: readonly KubernetesObject[];
  /** All ManifestWorks of the upgrade; undefined if only the ManifestWorks of single clusters were read. */
  works: readonly KubernetesObject[] | undefined;
  /** The ManifestWorks that were read one by one. The value is undefined if the cluster has no ManifestWork. */
  read: ReadonlyMap<string, KubernetesObject | undefined>;
  unread: readonly FailedPart[];
  /** The objects that decide about starts and stops; undefined if no cluster can start or stop now. */
  surroundings: (Surroundings & ReadinessSources) | undefined;
}>;

/** Returns a function that returns a cluster's ManifestWorks, or undefined if those were not read. */
export function worksByCluster({
  works,
  read,
}: Pick<Snapshot, "works" | "read">): (cluster: string) => readonly KubernetesObject[] | undefined {
  const listed = works && Map.groupBy(works, ({ metadata }) => metadata.namespace ?? "");
  return (cluster) => {
    if (listed) return listed.get(cluster) ?? [];
    const work = read.get(cluster);
    return work ? [work] : read.has(cluster) ? [] : undefined;
  };
}

const userFields = ({ metadata, spec }: KubernetesObject) => ({
  annotations: metadata.annotations ?? {},
  spec,
});

/** Undefined if a user has changed the upgrade since `cgu` was read: the hub might accept reports from old fields. */
async function readSurroundings(hub: HubReader, cgu: KubernetesObject): Promise<Snapshot["surroundings"]> {
  const reference = configReferenceOf(cgu, readUpgradeSpec(cgu).preCachingConfigRef);
  const [windows, upgrades, config] = await Promise.all([
    hub.list(kinds.MaintenanceWindow),
    hub.list(kinds.ClusterGroupUpgrade),
    reference && hub.get(kinds.PreCachingConfig, reference.name, reference.namespace),
  ]);
  const configs = config ? [config] : [];
  const annotatedObjects = [cgu, ...configs];
  const isThis = ({ metadata }: KubernetesObject) =>
    metadata.name === cgu.metadata.name && metadata.namespace === cgu.metadata.namespace;
  const later = upgrades.find(isThis);
  if (later && !isSameJson(userFields(later), userFields(cgu))) return undefined;
  const label = siteLabelOf(annotatedObjects);
  const ofSites = label && readLimits(annotatedObjects).site ? { withLabel: label } : undefined;
  const needed = needsLabels(windows, annotatedObjects) ? {} : ofSites;
  const managedClusters = needed ? await hub.list(kinds.ManagedCluster, needed) : [];
  const { name, namespace } = cgu.metadata;
  const readinessReport = requiresReady(annotatedObjects).required
    ? await hub.get(kinds.ReadinessReport, name, namespace)
    : undefined;
  const others = upgrades.filter((one) => !isThis(one));
  return { windows, configs, managedClusters, others, ...(readinessReport ? { readinessReport } : {}) };
}

/**
 * Reads the upgrade, its reports, and the ManifestWorks of the clusters that messages name. Reads all ManifestWorks if
 * no message names a cluster, or if status and reports disagree, as after a process was killed between its writes.
 */
export async function observe(request: ReconcileRequest): Promise<Snapshot> {
  const { hub, key, parts, now } = request;
  const { namespace, name } = parseNamespacedName(key);
  const labels = cguLabels({ namespace, name });
  const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, namespace);
  const reports = await hub.list(kinds.PreCachingReport, { namespace, labels });
  const upgrade = cgu && currentUpgrade(cgu, reports);
  const read = new Map<string, KubernetesObject | undefined>();
  const unread: FailedPart[] = [];
  const base = { now, hubId: hub.id, name: { namespace, name }, cgu, reports, read, unread };
  const listWorks = () => hub.list(kinds.ManifestWork, { labels });
  if (!upgrade) return { ...base, works: await listWorks(), surroundings: undefined };

  const { clusters, revision, states } = upgrade;
  const records = recordsOf(reports, revision);
  if (!parts || !isSameJson(statesFor(records), states)) {
    const works = await listWorks();
    const surroundings = await readSurroundings(hub, cgu);
    return surroundings ? { ...base, works, surroundings } : observe(request);
  }
  const named = new Set(parts);
  await runConcurrently(
    clusters.filter((cluster) => named.has(cluster)),
    readsAtOnce,
    async (cluster) => {
      const record = records.get(cluster);
      const run = isChecking(record)
        ? checkRunFor(upgrade, record.check)
        : { cgu: upgrade.name, revision, attempt: record?.attempt ?? 1 };
      try {
        read.set(cluster, await hub.get(kinds.ManifestWork, workName(run), cluster));
      } catch (error) {
        unread.push({ part: cluster, error });
        // If most reads fail, the hub has a problem. Then the whole reconcile is retried.
        if (unread.length >= readsAtOnce && unread.length > read.size) throw error;
      }
    },
  );
  const worksOf = worksByCluster({ works: undefined, read });
  const after = follow({ upgrade, records, worksOf, retry: undefined, now });
  const isAnyLost = clusters.some((cluster) => {
    const record = after.get(cluster);
    return record !== undefined && record !== records.get(cluster) && missingImages(record) > 0;
  });
  if (!isAnyLost && !maySlotBeTaken(upgrade, records, after))
    return { ...base, works: undefined, surroundings: undefined };
  const surroundings = await readSurroundings(hub, cgu);
  return surroundings ? { ...base, works: undefined, surroundings } : observe(request);
}
