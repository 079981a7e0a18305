import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Sighting } from "#shared/domain/precache/progress/cluster-record.ts";
import { plannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import { plannedLook, recordsOf } from "#shared/domain/precache/progress/report.ts";
import { readFeedback } from "#shared/domain/precache/work/feedback.ts";
import { type CguName, cguLabels } from "#shared/domain/precache/work/work-identity.ts";
import type { Beyond } from "#shared/ports/beyond.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Hint } from "#shared/shell/reaction.ts";
import { isStaleClaim } from "./hints.ts";

/** What was heard of the ManifestWork of a cluster. */
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
  /** All of its ManifestWorks, when everything is looked at; undefined when only the news are. */
  works: readonly KubernetesObject[] | undefined;
}>;

function heardFrom({ verb, reference, feedback: told }: Hint): readonly Heard[] {
  const feedback = isKind(kinds.ManifestWork, reference) ? readFeedback(told) : undefined;
  const { namespace: cluster, resourceVersion } = reference;
  if (!feedback || !cluster || !resourceVersion) return [];
  const isGone = verb === "delete" ? { isGone: true } : {};
  return [{ cluster, sighting: { feedback, resourceVersion, ...isGone } }];
}

/**
 * True when news are not enough: the CGU is told as one that exists, with nothing known of what became of it (the
 * resync tick, the start of a watch), or it is gone, or another content is planned than was last looked at, or it is
 * time to look after claims of which nothing more was heard.
 */
function isWholeLook(
  hints: readonly Hint[] | undefined,
  cgu: KubernetesObject | undefined,
  reports: readonly KubernetesObject[],
  now: Date,
): boolean {
  const upgrade = cgu && plannedUpgrade(cgu);
  const isKnown = upgrade && reports.some((report) => report.revision === upgrade.revision);
  const isNamed = ({ verb, reference }: Hint) =>
    isKind(kinds.ClusterGroupUpgrade, reference) && verb !== "update";
  if (!hints || hints.some(isNamed) || !cgu || (reports.length > 0 && !isKnown)) return true;
  return upgrade !== undefined && isAnyClaimStale(reports, upgrade.revision, now);
}

/** True when the time for a look has come and a claim is so old that its work should have been heard of. */
function isAnyClaimStale(reports: readonly KubernetesObject[], revision: string, now: Date): boolean {
  const due = plannedLook(reports, revision);
  if (!due || due > now) return false;
  return recordsOf(reports, revision)
    .values()
    .some((record) => isStaleClaim(record, now));
}

/**
 * Reads the ClusterGroupUpgrade and its reports, which may be written, before the ManifestWorks. Those are listed
 * only when everything is looked at: else their events have told what is new.
 */
export async function observe(
  hub: HubReader,
  key: string,
  now: Date,
  _beyond: Beyond,
  hints: readonly Hint[] | undefined,
): Promise<Snapshot> {
  const [namespace = "", name = ""] = key.split("/");
  const labels = cguLabels({ namespace, name });
  const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, namespace);
  const reports = await hub.list(kinds.PreCachingReport, { namespace, labels });
  const works = isWholeLook(hints, cgu, reports, now)
    ? await hub.list(kinds.ManifestWork, { labels })
    : undefined;
  const heard = (hints ?? []).flatMap(heardFrom);
  return { now, hubId: hub.id, name: { namespace, name }, cgu, reports, heard, works };
}
