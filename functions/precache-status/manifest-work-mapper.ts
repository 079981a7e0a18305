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
import { feedbackQueue, newsOf } from "./watches.ts";

/** So few clusters are asked one by one; more in one list of all works. */
const mostAskedAlone = 20;

/** ManifestWorks that were named by events without their feedback. */
export type WorksSnapshot = Readonly<{
  about: "works";
  hubId: string;
  /** Those that are there. */
  works: readonly KubernetesObject[];
  /** Those that are not. */
  gone: readonly ObjectReference[];
  /** The PreCachingReports, where some are gone: they know whose run each was. */
  reports: readonly KubernetesObject[];
}>;

const placeOf = ({ namespace = "", name }: Readonly<{ namespace?: string; name: string }>) =>
  `${namespace}/${name}`;

/** Reads the works that the hints name. */
export async function observeUnmappedWorks(
  hub: HubReader,
  hints: readonly Hint[] | undefined = [],
): Promise<WorksSnapshot> {
  const named = new Map(hints.map(({ reference }) => [placeOf(reference), reference]));
  const clusters = [...new Set(hints.map(({ reference }) => reference.namespace ?? ""))];
  const withLabel = workLabels.cgu;
  const places = clusters.length > mostAskedAlone ? [{}] : clusters.map((namespace) => ({ namespace }));
  const found = await Promise.all(
    places.map((place) => hub.list(kinds.ManifestWork, { ...place, withLabel })),
  );
  const works = found.flat().filter(({ metadata }) => named.has(placeOf(metadata)));
  for (const { metadata } of works) named.delete(placeOf(metadata));
  const gone = [...named.values()];
  const reports = gone.length > 0 ? await hub.list(kinds.PreCachingReport) : [];
  return { about: "works", hubId: hub.id, works, gone, reports };
}

/** The ClusterGroupUpgrade that a report is about. */
function upgradeOf({ metadata }: KubernetesObject): ObjectReference {
  const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
  const owner = metadata.ownerReferences?.find((reference) => reference.kind === kind);
  const name = owner?.name ?? metadata.labels?.[workLabels.cgu] ?? "";
  return { apiVersion, kind, namespace: metadata.namespace ?? "", name };
}

/** The upgrades that do not know yet that one of these works is gone. */
function surprised({ reports, gone }: WorksSnapshot): readonly ObjectReference[] {
  const names = new Map(gone.map(({ namespace = "", name }) => [placeOf({ namespace, name }), namespace]));
  return reports.flatMap((report) => {
    const cgu = upgradeOf(report);
    const revision = String(report.revision ?? "");
    const isConcerned = recordsOf([report], revision)
      .entries()
      .some(([cluster, { state, attempt }]) => {
        const run = { cgu: { namespace: cgu.namespace ?? "", name: cgu.name }, revision, attempt };
        return !isFinalState(state) && names.has(placeOf({ namespace: cluster, name: workName(run) }));
      });
    return isConcerned && isRecord(report.clusters) ? [cgu] : [];
  });
}

/** The same news as the forwarder's own events bring: whose run it is, and what it tells. */
export function mapManifestWorks(snapshot: WorksSnapshot): Plan {
  const { works, hubId } = snapshot;
  const upgrades = new Map(surprised(snapshot).map((cgu) => [placeOf(cgu), cgu]));
  const events = [
    ...works.flatMap((work) => {
      const feedback = newsOf(work, "update");
      return feedback ? [hubEvent("update", referenceTo(work), { source: hubId, feedback })] : [];
    }),
    ...[...upgrades.values()].map((cgu) => hubEvent("add", cgu, { source: hubId })),
  ];
  const reason = `${events.length} were named without their feedback`;
  const sends = events.length > 0 ? [{ queue: feedbackQueue, events, reason }] : [];
  return { decisions: [], issues: [], actions: [], sends };
}
