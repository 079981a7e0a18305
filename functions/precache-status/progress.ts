import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Decision } from "#shared/domain/plan/plan.ts";
import type { Records } from "#shared/domain/precache-model/cluster-record.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import type { PlannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { recordsOf } from "#shared/domain/precache-model/precaching-report.ts";
import { checkAnnotation, retryAnnotation } from "#shared/domain/precache-model/upgrade-spec.ts";
import { follow } from "#shared/domain/precache-progress/follow.ts";
import { type SlotChanges, slotChanges } from "#shared/domain/precache-start/slot-changes.ts";
import type { Readiness } from "#shared/domain/ready/record/verdict.ts";
import { checkChanges, checkedDecision, isCheckEnded } from "./checks.ts";
import { type Snapshot, worksByCluster } from "./observe.ts";
import { requiredReadiness, startsHeldBy } from "./readiness.ts";

const maxWaiting = 20;

/** The records of all clusters before and after this reconcile, and the reasons for their changes. */
export type Progress = SlotChanges &
  Readonly<{
    before: Records;
    after: Records;
    ended: readonly string[];
    worksOf: ReturnType<typeof worksByCluster>;
    checked: readonly string[];
    checks: ReturnType<typeof checkChanges>;
    /** Undefined if no cluster can start now, or if the upgrade does not require ready images. */
    readiness: Readiness | undefined;
    requests: readonly ("retry" | "check")[];
  }>;

function requestedClusters({ metadata }: KubernetesObject, annotation: string): Set<string> | undefined {
  const names = ownValue(metadata.annotations, annotation)
    ?.split(",")
    .map((name) => name.trim());
  return names && new Set(names.filter(Boolean));
}

/** Returns what changes in this reconcile for the clusters of an upgrade: runs, checks, retries and slots. */
export function progressOf(cgu: KubernetesObject, upgrade: PlannedUpgrade, snapshot: Snapshot): Progress {
  const { reports, works, now, clockAheadSeconds, surroundings } = snapshot;
  const { clusters, revision } = upgrade;
  const before = recordsOf(reports, revision);
  const worksOf = worksByCluster(snapshot);
  const retry = works && requestedClusters(cgu, retryAnnotation);
  const requested = works && requestedClusters(cgu, checkAnnotation);
  const followed = follow({ upgrade, records: before, worksOf, retry, now });
  const checks: Progress["checks"] = surroundings
    ? checkChanges({ cgu, upgrade, records: followed, surroundings, requested, now })
    : new Map();
  const records: Records = new Map(
    [...followed].map(([cluster, record]) => [cluster, checks.get(cluster)?.record ?? record]),
  );
  const readiness = surroundings && requiredReadiness(cgu, upgrade, surroundings);
  const { changes, waiting }: SlotChanges = surroundings
    ? slotChanges({
        upgrade,
        cgu,
        records,
        surroundings,
        startsHeldBy: startsHeldBy(readiness),
        worksOf,
        now,
        clockAheadSeconds,
      })
    : { changes: new Map(), waiting: new Map() };
  const after: Records = new Map(
    clusters.flatMap((cluster) => {
      const record = changes.get(cluster)?.record ?? records.get(cluster);
      return record ? [[cluster, record] as const] : [];
    }),
  );
  const ended = clusters.filter(
    (cluster) => isFinalState(after.get(cluster)?.state) && !isFinalState(before.get(cluster)?.state),
  );
  const checked = clusters.filter((cluster) => isCheckEnded(before.get(cluster), after.get(cluster)));
  const requests = [...(retry ? ["retry" as const] : []), ...(requested ? ["check" as const] : [])];
  return { before, after, changes, waiting, ended, worksOf, checked, checks, requests, readiness };
}

/** Returns the number of clusters in each state, as text. */
export function summary(clusters: readonly string[], records: Records): string {
  const counts = Object.entries(
    Object.groupBy(clusters, (cluster) => records.get(cluster)?.state ?? "NotStarted"),
  ).map(([state, some = []]) => `${some.length} ${state}`);
  return counts.sort().join(", ");
}

/** Returns a decision for each cluster that changes, and for some of the clusters that wait. */
export function clusterDecisions(progress: Progress): readonly Decision[] {
  const { changes, checks, waiting, ended, checked, after } = progress;
  const changed = [...checks, ...changes].map(
    ([subject, { verdict, reason }]): Decision => ({ subject, verdict, reason }),
  );
  const kept = [...waiting]
    .slice(0, maxWaiting)
    .map(([subject, reason]): Decision => ({ subject, verdict: "wait", reason }));
  const finished = ended.flatMap((subject): Decision[] => {
    const record = after.get(subject);
    return record ? [{ subject, verdict: record.state, reason: `${record.reason}: ${record.message}` }] : [];
  });
  const results = checked.flatMap((subject) => {
    const record = after.get(subject);
    return record ? [checkedDecision(subject, record)] : [];
  });
  return [...results, ...changed, ...kept, ...finished];
}
