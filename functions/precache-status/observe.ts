import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { FailedPart } from "#shared/domain/plan/plan.ts";
import {
  isComparableVersion,
  isStaleClaim,
  type WorkObservation,
} from "#shared/domain/precache/progress/cluster-record.ts";
import { follow } from "#shared/domain/precache/progress/follow.ts";
import { type PlannedUpgrade, plannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import {
  plannedReconcile,
  type Records,
  recordsOf,
} from "#shared/domain/precache/progress/precaching-report.ts";
import { requestedRetries } from "#shared/domain/precache/progress/retry.ts";
import { readFeedback } from "#shared/domain/precache/work/feedback.ts";
import { type CguName, cguLabels, workName } from "#shared/domain/precache/work/work-identity.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Hint } from "#shared/runtime/controller.ts";
import { runConcurrently } from "#shared/runtime/run-concurrently.ts";

/** Concurrent reads of ManifestWorks: hundreds of clusters may end in the same second. */
const readsAtOnce = 16;

/** What a message says about the ManifestWork of a cluster; unverified. */
export type Heard = Readonly<{ cluster: string; observation: WorkObservation }>;

/** A ClusterGroupUpgrade, the recorded state of its clusters, and what has changed. */
export type Snapshot = Readonly<{
  now: Date;
  hubId: string;
  name: CguName;
  cgu: KubernetesObject | undefined;
  /** Its PreCachingReports. */
  reports: readonly KubernetesObject[];
  heard: readonly Heard[];
  /** All of its ManifestWorks, if they were listed. */
  works: readonly KubernetesObject[] | undefined;
  /**
   * The ManifestWorks of single clusters, read before their end is recorded; undefined for one that does not exist.
   */
  read: ReadonlyMap<string, KubernetesObject | undefined>;
  /** The ManifestWorks that could not be read. */
  unread: readonly FailedPart[];
}>;

function heardFrom({ verb, reference, feedback: carried }: Hint): readonly Heard[] {
  const feedback = isKind(kinds.ManifestWork, reference) ? readFeedback(carried) : undefined;
  const { namespace: cluster, resourceVersion } = reference;
  if (!feedback || !cluster || !isComparableVersion(resourceVersion)) return [];
  const isGone = verb === "delete" ? { isGone: true } : {};
  return [{ cluster, observation: { feedback, resourceVersion, ...isGone } }];
}

/** True when the status has running clusters without a record: a report was deleted. */
function isReportLost({ states }: PlannedUpgrade, records: Records): boolean {
  return Object.entries(states).some(
    ([cluster, state]) => state !== "PreparingToStart" && !records.has(cluster),
  );
}

/** True when claims are due for a check, and one is so old that a message about its work should have arrived. */
function isAnyClaimStale(planned: Date | undefined, records: Records, now: Date): boolean {
  return planned !== undefined && planned <= now && records.values().some((one) => isStaleClaim(one, now));
}

/**
 * True when messages are not enough: the CGU is named without information about its works (the resync tick, the start
 * of a watch), or it is gone, or the plan has different content than is recorded, or a report was lost, or a claim is
 * so old that a message about its work should have arrived.
 */
function needsAllWorks(
  hints: readonly Hint[] | undefined,
  upgrade: PlannedUpgrade | undefined,
  reports: readonly KubernetesObject[],
  now: Date,
): boolean {
  const isNamed = ({ verb, reference }: Hint) =>
    isKind(kinds.ClusterGroupUpgrade, reference) && verb !== "update";
  if (!hints || hints.some(isNamed)) return true;
  const { revision = "" } = upgrade ?? {};
  if (reports.length > 0 && !reports.some((report) => report.revision === revision)) return true;
  if (!upgrade) return false;
  const records = recordsOf(reports, revision);
  return isReportLost(upgrade, records) || isAnyClaimStale(plannedReconcile(reports, revision), records, now);
}

/**
 * Reads the ClusterGroupUpgrade and its reports, because they may be written, before the ManifestWorks. All of those
 * are listed when messages are not enough. Otherwise single ones are read: those for which messages or the time
 * require a change that is recorded only from the hub.
 */
export async function observe(
  hub: HubReader,
  key: string,
  now: Date,
  _external: ExternalPorts,
  hints: readonly Hint[] | undefined,
): Promise<Snapshot> {
  const [namespace = "", name = ""] = key.split("/");
  const labels = cguLabels({ namespace, name });
  const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, namespace);
  const reports = await hub.list(kinds.PreCachingReport, { namespace, labels });
  const upgrade = cgu && plannedUpgrade(cgu);
  const heard = (hints ?? []).flatMap(heardFrom);
  const read = new Map<string, KubernetesObject | undefined>();
  const failed: FailedPart[] = [];
  const snapshot = {
    now,
    hubId: hub.id,
    name: { namespace, name },
    cgu,
    reports,
    heard,
    read,
    unread: failed,
  };
  if (!cgu || needsAllWorks(hints, upgrade, reports, now))
    return { ...snapshot, works: await hub.list(kinds.ManifestWork, { labels }) };
  if (upgrade) {
    const { revision } = upgrade;
    const before = recordsOf(reports, revision);
    const changes = { ...snapshot, upgrade, records: before, works: undefined, retry: requestedRetries(cgu) };
    const { records, unread } = follow(changes);
    await runConcurrently(unread, readsAtOnce, async (cluster) => {
      const { apiVersion, kind } = kinds.ManifestWork;
      const run = { cgu: upgrade.name, revision, attempt: records.get(cluster)?.attempt ?? 1 };
      const metadata = { namespace: cluster, name: workName(run) };
      try {
        read.set(cluster, await hub.get(kinds.ManifestWork, metadata.name, cluster));
      } catch (error) {
        failed.push({ object: { apiVersion, kind, metadata }, error });
        // When most reads fail, the hub is at fault: everything is retried later.
        if (failed.length >= readsAtOnce && failed.length > read.size) throw error;
      }
    });
  }
  return { ...snapshot, works: undefined };
}
