import { annotationIssue, type Issue } from "../../issues/issue.ts";
import { firstAnnotated, type KubernetesObject } from "../../kubernetes/object.ts";
import { isChecking, missingImages } from "../../precache-model/check-record.ts";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { conditionTypes, storedCondition, storedConditions } from "../../precache-model/conditions.ts";
import { readDuration } from "../../windows/duration.ts";
import { openingFinder, windowAnnotation } from "../../windows/gate.ts";
import { bandwidthAnnotations } from "../bandwidth-annotation.ts";
import { parallelPulls, readLimits, requiresReady } from "../limits.ts";
import { checkBeforeAnnotation, enableTimeOf, rolloutNamesOf } from "./rollout-annotations.ts";

/** The shortest valid period. A shorter one makes no sense, because maintenance windows are evaluated every minute. */
const minMs = 60_000;
const maxMs = 365 * 24 * 60 * 60_000;

/** Returns the milliseconds in `checkBeforeAnnotation` (undefined without a valid value), and the issue if invalid. */
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

/** What to do with a cluster before the rollout may begin at `opening`: `check` its images, or pre-cache it `again`. */
export type BeforeOpening = Readonly<{ verdict: "check" | "again"; opening: Date }>;

const hasRolloutBegun = ({ status }: KubernetesObject): boolean =>
  storedCondition(storedConditions(status), conditionTypes.progressing)?.status === "True";

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
  configs: readonly KubernetesObject[];
  windows: readonly KubernetesObject[];
  labelsOf(cluster: string): Readonly<Record<string, string>> | undefined;
}>;

/**
 * Returns a function that returns what to do with a pre-cached cluster before its next opening, if anything. Images are
 * checked once before each opening, and pulled again if any are missing.
 */
export function checksBeforeOpenings(
  fleet: Fleet,
  now: Date,
): (cluster: string, record: ClusterRecord) => BeforeOpening | undefined {
  const { before } = checkBefore([fleet.cgu, ...fleet.configs]);
  // The rollout uses the images, so they are not checked any more.
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

/** Returns the issues of the annotations that control how clusters start. */
export function startAnnotationIssues(objects: readonly KubernetesObject[]): readonly Issue[] {
  return [readLimits, bandwidthAnnotations, parallelPulls, checkBefore, requiresReady].flatMap(
    (read) => read(objects).issues,
  );
}
