import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { FailedPart } from "#shared/domain/plan/plan.ts";
import {
  isComparableVersion,
  isStaleClaim,
  type Sighting,
} from "#shared/domain/precache/progress/cluster-record.ts";
import { follow } from "#shared/domain/precache/progress/follow.ts";
import { type PlannedUpgrade, plannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import { plannedLook, type Records, recordsOf } from "#shared/domain/precache/progress/precaching-report.ts";
import { retryWish } from "#shared/domain/precache/progress/retry.ts";
import { readFeedback } from "#shared/domain/precache/work/feedback.ts";
import { type CguName, cguLabels, workName } from "#shared/domain/precache/work/work-identity.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Hint } from "#shared/runtime/controller.ts";
import { runConcurrently } from "#shared/runtime/run-concurrently.ts";

/** ManifestWorks that are read at the same time: hundreds of clusters may end in the same second. */
const readsAtOnce = 16;

/** What a message says about the ManifestWork of a cluster. */
export type Heard = Readonly<{ cluster: string; sighting: Sighting }>;

/** A ClusterGroupUpgrade, what is known about its clusters, and what is new. */
export type Snapshot = Readonly<{
  now: Date;
  hubId: string;
  name: CguName;
  cgu: KubernetesObject | undefined;
  /** Its PreCachingReports. */
  reports: readonly KubernetesObject[];
  heard: readonly Heard[];
  /** All of its ManifestWorks where they were listed. */
  works: readonly KubernetesObject[] | undefined;
  /** The ManifestWorks of single clusters that were read before their end is recorded, undefined where there is none. */
  read: ReadonlyMap<string, KubernetesObject | undefined>;
  /** Those that could not be read. */
  unread: readonly FailedPart[];
}>;

function heardFrom({ verb, reference, feedback: told }: Hint): readonly Heard[] {
  const feedback = isKind(kinds.ManifestWork, reference) ? readFeedback(told) : undefined;
  const { namespace: cluster, resourceVersion } = reference;
  if (!feedback || !cluster || !isComparableVersion(resourceVersion)) return [];
  const isGone = verb === "delete" ? { isGone: true } : {};
  return [{ cluster, sighting: { feedback, resourceVersion, ...isGone } }];
}

/** True when the status has clusters on their way of which nothing is recorded: a report was deleted. */
function isReportLost({ states }: PlannedUpgrade, records: Records): boolean {
  return Object.entries(states).some(
    ([cluster, state]) => state !== "PreparingToStart" && !records.has(cluster),
  );
}

/** True when claims are due to be checked, and one is so old that a message about its work should have come. */
function isAnyClaimStale(planned: Date | undefined, records: Records, now: Date): boolean {
  return planned !== undefined && planned <= now && records.values().some((one) => isStaleClaim(one, now));
}

/**
 * True when messages are not enough: the CGU is named as one that exists, with nothing known of what became of it (the
 * resync tick, the start of a watch), or it is gone, or another content is planned than is recorded, or a
 * report was lost, or a claim is so old that a message about its work should have come.
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
  return isReportLost(upgrade, records) || isAnyClaimStale(plannedLook(reports, revision), records, now);
}

/**
 * Reads the ClusterGroupUpgrade and its reports, which may be written, before the ManifestWorks. Those are listed
 * where messages are not enough. Else single ones are read: where messages or the time ask for a change that is
 * recorded from the hub alone.
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
    const news = { ...snapshot, upgrade, records: before, works: undefined, retry: retryWish(cgu) };
    const { records, unread } = follow(news);
    await runConcurrently(unread, readsAtOnce, async (cluster) => {
      const { apiVersion, kind } = kinds.ManifestWork;
      const run = { cgu: upgrade.name, revision, attempt: records.get(cluster)?.attempt ?? 1 };
      const metadata = { namespace: cluster, name: workName(run) };
      try {
        read.set(cluster, await hub.get(kinds.ManifestWork, metadata.name, cluster));
      } catch (error) {
        failed.push({ object: { apiVersion, kind, metadata }, error });
        // When most reads fail, the trouble is the hub's: everything comes again later.
        if (failed.length >= readsAtOnce && failed.length > read.size) throw error;
      }
    });
  }
  return { ...snapshot, works: undefined };
}
