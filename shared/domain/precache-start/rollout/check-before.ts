import { annotationIssue, type Issue } from "../../issues/issue.ts";
import { firstAnnotated, type KubernetesObject } from "../../kubernetes/object.ts";
import { isChecking, missingImages } from "../../precache-model/check-record.ts";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { conditionTypes, storedCondition, storedConditions } from "../../precache-model/conditions.ts";
import { readDuration } from "../../windows/duration.ts";
import { openingFinder, windowAnnotation } from "../../windows/gate.ts";
import { checkBeforeAnnotation, enableTimeOf, rolloutNamesOf } from "./rollout-annotations.ts";

/** The tick of maintenance windows comes every minute. */
const minMs = 60_000;
const maxMs = 365 * 24 * 60 * 60_000;

/** Returns the milliseconds of the first of these objects that sets the annotation; an invalid value means no check. */
export function checkBefore(
  objects: readonly KubernetesObject[],
): Readonly<{ before: number | undefined; issues: readonly Issue[] }> {
  const annotated = firstAnnotated(objects, checkBeforeAnnotation);
  if (!annotated) return { before: undefined, issues: [] };
  const before = readDuration(annotated.value.trim());
  if (before !== undefined && before >= minMs && before <= maxMs) return { before, issues: [] };
  const issue = annotationIssue(annotated.object, checkBeforeAnnotation, {
    code: "InvalidDuration",
    message:
      before === undefined
        ? "It is not a duration; clusters are not checked before an opening."
        : "It is shorter than a minute or longer than a year; clusters are not checked before an opening.",
    remedy: 'Write hours, minutes and seconds, such as "24h" or "1h30m".',
  });
  return { before: undefined, issues: [issue] };
}

/** What an opening that comes soon requires of a cluster: a check, or to pre-cache it `again`. */
export type BeforeOpening = Readonly<{ verdict: "check" | "again"; opening: Date }>;

/** A rollout uses the images: what it has begun is not interrupted. */
const hasRolloutBegun = ({ status }: KubernetesObject): boolean =>
  storedCondition(storedConditions(status), conditionTypes.progressing)?.status === "True";

/** Returns the next opening for the rollout of each cluster; without one of its own, that of its pre-caching. */
function nextRolloutOpening(
  { cgu, configs, windows, labelsOf }: Fleet,
  now: Date,
): (cluster: string) => Date | undefined {
  const time = enableTimeOf(cgu);
  if (time) return () => (time > now ? time : undefined);
  const names = rolloutNamesOf(cgu);
  const annotations = { ...cgu.metadata.annotations, ...(names ? { [windowAnnotation]: names } : {}) };
  const referrers = [{ ...cgu, metadata: { ...cgu.metadata, annotations } }, ...configs];
  const find = openingFinder(windows, now);
  return (cluster) => find(referrers, labelsOf(cluster));
}

type Fleet = Readonly<{
  cgu: KubernetesObject;
  /** Its PreCachingConfig, if it names one. */
  configs: readonly KubernetesObject[];
  /** The MaintenanceWindows. */
  windows: readonly KubernetesObject[];
  labelsOf(cluster: string): Readonly<Record<string, string>> | undefined;
}>;

/**
 * Returns what the next opening requires of clusters now, if the annotation requests it. Each opening has one check: one
 * that was started, or a run that has succeeded, since the time in the annotation began to run. Nothing is remembered
 * beside the record, so a repeated reconcile decides the same.
 */
export function checksBeforeOpenings(
  fleet: Fleet,
  now: Date,
): (cluster: string, record: ClusterRecord) => BeforeOpening | undefined {
  const { before } = checkBefore([fleet.cgu, ...fleet.configs]);
  if (before === undefined || hasRolloutBegun(fleet.cgu)) return () => undefined;
  const openingOf = nextRolloutOpening(fleet, now);
  return (cluster, record) => {
    if (record.state !== "Succeeded" || isChecking(record)) return undefined;
    const opening = openingOf(cluster);
    if (!opening || opening.getTime() - before > now.getTime()) return undefined;
    const from = opening.getTime() - before;
    if (record.check && Date.parse(record.check.started) >= from)
      return missingImages(record) > 0 ? { verdict: "again", opening } : undefined;
    return Date.parse(record.since) >= from ? undefined : { verdict: "check", opening };
  };
}
