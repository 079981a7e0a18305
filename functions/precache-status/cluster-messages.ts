import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Send } from "#shared/domain/plan/plan.ts";
import { isChecking } from "#shared/domain/precache-model/check-record.ts";
import { clusterEvent, clusterQueue } from "#shared/domain/precache-model/cluster-event.ts";
import type { ClusterRecord, Records } from "#shared/domain/precache-model/cluster-record.ts";
import type { PlannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { workName } from "#shared/domain/precache-model/work-identity.ts";
import { checkRunFor } from "#shared/domain/precache-progress/cluster-check.ts";
import { unansweredSeconds } from "#shared/domain/precache-progress/deadlines.ts";
import { type DesiredWork, desiredWork } from "#shared/domain/precache-progress/follow.ts";
import { isSuspended } from "#shared/domain/precache-start/work/manifest-work.ts";

function isAsDesired(work: KubernetesObject | undefined, desired: DesiredWork): boolean {
  if (desired === "any") return true;
  if (work === undefined) return desired !== "running";
  // One that is being deleted cannot be replaced yet: its deletion is reported when it is done.
  if ("deletionTimestamp" in work.metadata) return true;
  return desired === (isSuspended(work) ? "suspended" : "running");
}

/** True when the ManifestWork of a check has to be created or removed. */
function isCheckToChange(
  upgrade: PlannedUpgrade,
  record: ClusterRecord,
  works: readonly KubernetesObject[] | undefined,
): boolean {
  if (!record.check || !works) return isChecking(record);
  const name = workName(checkRunFor(upgrade, record.check));
  const work = works.find(({ metadata }) => metadata.name === name);
  return isChecking(record) ? work === undefined : !isAsDesired(work, "absent");
}

/** True when the ManifestWork of a cluster's present attempt has to be created, removed, suspended or resumed. */
function isRunToChange(
  upgrade: PlannedUpgrade,
  record: ClusterRecord,
  works: readonly KubernetesObject[] | undefined,
): boolean {
  // The work of a run that was checked since is gone.
  if (record.check && record.state === "Succeeded") return false;
  const desired = desiredWork(record, upgrade);
  if (!works) return desired !== "any";
  const name = workName({ cgu: upgrade.name, revision: upgrade.revision, attempt: record.attempt });
  const work = works.find(({ metadata }) => metadata.name === name);
  return !isAsDesired(work, desired);
}

/**
 * Returns a message for each cluster whose ManifestWork has to change: because its record has changed, or because the
 * message before has had no effect for a while.
 */
export function clusterMessages(
  upgrade: PlannedUpgrade,
  { before, after }: Readonly<{ before: Records; after: Records }>,
  worksOf: (cluster: string) => readonly KubernetesObject[] | undefined,
  { now, hubId }: Readonly<{ now: Date; hubId: string }>,
): readonly Send[] {
  const isOld = (since: string) => now.getTime() - Date.parse(since) >= unansweredSeconds * 1000;
  const isDue = (cluster: string, record: ClusterRecord): boolean => {
    const works = worksOf(cluster);
    const isChanged = before.get(cluster) !== record;
    const { checked, started = "" } = record.check ?? {};
    const isCheckDue = isChanged || isOld(checked ?? started);
    const isRunDue = isChanged || (works !== undefined && isOld(record.since));
    return (
      (isCheckDue && isCheckToChange(upgrade, record, works)) ||
      (isRunDue && isRunToChange(upgrade, record, works))
    );
  };
  const events = [...after].flatMap(([cluster, record]) =>
    isDue(cluster, record) ? [clusterEvent(upgrade.name, cluster, { source: hubId })] : [],
  );
  const reason =
    events.length === 1 ? "1 cluster has something to do" : `${events.length} clusters have something to do`;
  return events.length > 0 ? [{ queue: clusterQueue, events, reason }] : [];
}
