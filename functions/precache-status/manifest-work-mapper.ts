import { hubEvent } from "#shared/domain/events/hub-event.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import {
  type KubernetesObject,
  type ObjectReference,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { isFinalState } from "#shared/domain/precache/model/cluster-state.ts";
import { recordsOf } from "#shared/domain/precache/progress/precaching-report.ts";
import { workLabels, workName } from "#shared/domain/precache/work/work-identity.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Hint } from "#shared/runtime/controller.ts";
import { feedbackQueue, relevantFeedback } from "./watches.ts";

/** Up to this number, clusters are listed one by one; more in one list of all works. */
const maxSingleLists = 20;

/** ManifestWorks that events named without their feedback. */
export type WorksSnapshot = Readonly<{
  about: "works";
  hubId: string;
  /** Those that exist. */
  works: readonly KubernetesObject[];
  /** Those that do not exist. */
  gone: readonly ObjectReference[];
  /** The PreCachingReports, read when works are gone: they record whose run each was. */
  reports: readonly KubernetesObject[];
}>;

const keyOf = ({ namespace = "", name }: Readonly<{ namespace?: string; name: string }>) =>
  `${namespace}/${name}`;

/** Reads the ManifestWorks that the hints name. */
export async function observeUnmappedWorks(
  hub: HubReader,
  hints: readonly Hint[] | undefined = [],
): Promise<WorksSnapshot> {
  const named = new Map(hints.map(({ reference }) => [keyOf(reference), reference]));
  const clusters = [...new Set(hints.map(({ reference }) => reference.namespace ?? ""))];
  const withLabel = workLabels.cgu;
  const places = clusters.length > maxSingleLists ? [{}] : clusters.map((namespace) => ({ namespace }));
  const found = await Promise.all(
    places.map((place) => hub.list(kinds.ManifestWork, { ...place, withLabel })),
  );
  const works = found.flat().filter(({ metadata }) => named.has(keyOf(metadata)));
  for (const { metadata } of works) named.delete(keyOf(metadata));
  const gone = [...named.values()];
  const reports = gone.length > 0 ? await hub.list(kinds.PreCachingReport) : [];
  return { about: "works", hubId: hub.id, works, gone, reports };
}

function upgradeOf({ metadata }: KubernetesObject): ObjectReference {
  const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
  const owner = metadata.ownerReferences?.find((reference) => reference.kind === kind);
  const name = owner?.name ?? metadata.labels?.[workLabels.cgu] ?? "";
  return { apiVersion, kind, namespace: metadata.namespace ?? "", name };
}

/** Returns the upgrades with records of a run whose work is gone. */
function affectedUpgrades({ reports, gone }: WorksSnapshot): readonly ObjectReference[] {
  const names = new Map(gone.map(({ namespace = "", name }) => [keyOf({ namespace, name }), namespace]));
  return reports.flatMap((report) => {
    const cgu = upgradeOf(report);
    const revision = String(report.revision ?? "");
    const isAffected = recordsOf([report], revision)
      .entries()
      .some(([cluster, { state, attempt }]) => {
        const run = { cgu: { namespace: cgu.namespace ?? "", name: cgu.name }, revision, attempt };
        return !isFinalState(state) && names.has(keyOf({ namespace: cluster, name: workName(run) }));
      });
    return isAffected && isRecord(report.clusters) ? [cgu] : [];
  });
}

/** Returns the same events as the forwarder sends: with the run and its feedback. */
export function mapManifestWorks(snapshot: WorksSnapshot): Plan {
  const { works, hubId } = snapshot;
  const upgrades = new Map(affectedUpgrades(snapshot).map((cgu) => [keyOf(cgu), cgu]));
  const events = [
    ...works.flatMap((work) => {
      const feedback = relevantFeedback(work, "update");
      return feedback ? [hubEvent("update", referenceTo(work), { source: hubId, feedback })] : [];
    }),
    ...[...upgrades.values()].map((cgu) => hubEvent("add", cgu, { source: hubId })),
  ];
  const reason = `${events.length} came without their feedback`;
  const sends = events.length > 0 ? [{ queue: feedbackQueue, events, reason }] : [];
  return { decisions: [], issues: [], actions: [], sends };
}
