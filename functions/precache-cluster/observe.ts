import { type KubernetesObject, kinds, parseNamespacedName } from "#shared/domain/kubernetes/object.ts";
import { siteLabelOf } from "#shared/domain/precache-model/planned-upgrade.ts";
import { currentUpgrade, recordsOf } from "#shared/domain/precache-model/precaching-report.ts";
import { configReferenceOf, readUpgradeSpec } from "#shared/domain/precache-model/upgrade-spec.ts";
import { cguLabels, workName } from "#shared/domain/precache-model/work-identity.ts";
import type { PlanningSettings } from "#shared/domain/precache-plan/plan-input.ts";
import { bandwidthAnnotations } from "#shared/domain/precache-start/bandwidth-annotation.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { ReconcileRequest } from "#shared/runtime/controller.ts";

/** The records of the named clusters of one ClusterGroupUpgrade, and what their ManifestWorks are derived from. */
export type Snapshot = Readonly<{
  now: Date;
  cgu: KubernetesObject | undefined;
  clusters: readonly string[];
  reports: readonly KubernetesObject[];
  config: KubernetesObject | undefined;
  /** The other ClusterGroupUpgrades. One of them may have started on the same cluster. */
  others: readonly KubernetesObject[];
  /** The ManagedClusters with the label of a site; empty if no site has a bandwidth. */
  managedClusters: readonly KubernetesObject[];
  /** The ManifestWorks whose Job may have to be suspended or resumed. */
  works: readonly KubernetesObject[];
  planning: PlanningSettings;
}>;

async function readSources(
  hub: HubReader,
  cgu: KubernetesObject,
): Promise<Pick<Snapshot, "config" | "others" | "managedClusters">> {
  const reference = configReferenceOf(cgu, readUpgradeSpec(cgu).preCachingConfigRef);
  const [config, upgrades] = await Promise.all([
    reference && hub.get(kinds.PreCachingConfig, reference.name, reference.namespace),
    hub.list(kinds.ClusterGroupUpgrade),
  ]);
  const { namespace, name } = cgu.metadata;
  const others = upgrades.filter(
    ({ metadata }) => metadata.name !== name || metadata.namespace !== namespace,
  );
  const annotatedObjects = [cgu, ...(config ? [config] : [])];
  const label = siteLabelOf(annotatedObjects);
  const isBySite = bandwidthAnnotations(annotatedObjects).bandwidths.bySite.size > 0;
  const managedClusters = label && isBySite ? await hub.list(kinds.ManagedCluster, { withLabel: label }) : [];
  return { config, others, managedClusters };
}

/** Reads a ManifestWork before the record about it, so that an old record cannot overwrite a newer ManifestWork. */
export async function observe({
  hub,
  key,
  parts: clusters = [],
  now,
  external: { planning },
}: ReconcileRequest<"planning">): Promise<Snapshot> {
  const { namespace, name } = parseNamespacedName(key);
  const labels = cguLabels({ namespace, name });
  const read = async () => {
    const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, namespace);
    const reports = cgu ? await hub.list(kinds.PreCachingReport, { namespace, labels }) : [];
    return { cgu, reports };
  };
  const first = await read();
  const upgrade = first.cgu && currentUpgrade(first.cgu, first.reports);
  const nothing = { config: undefined, others: [], managedClusters: [], works: [], planning };
  if (!first.cgu || !upgrade) return { now, ...first, clusters, ...nothing };

  const records = recordsOf(first.reports, upgrade.revision);
  const runs = clusters.flatMap((cluster) => {
    const { suspend, attempt = 1 } = records.get(cluster) ?? {};
    return suspend === undefined ? [] : [{ cluster, attempt }];
  });
  const works = await Promise.all(
    runs.map(({ cluster, attempt }) => {
      const run = { cgu: upgrade.name, revision: upgrade.revision, attempt };
      return hub.get(kinds.ManifestWork, workName(run), cluster);
    }),
  );
  const latest = works.length > 0 ? await read() : first;
  const current = recordsOf(latest.reports, upgrade.revision);
  const isAnyStarting = clusters.some((cluster) => current.get(cluster)?.state === "PreparingToStart");
  return {
    now,
    ...latest,
    clusters,
    ...nothing,
    ...(latest.cgu && isAnyStarting ? await readSources(hub, latest.cgu) : {}),
    works: works.filter((work) => work !== undefined),
  };
}
