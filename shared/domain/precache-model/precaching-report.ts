import { map, object, required, text, time, type ValueOf, valueIn, whole } from "../issues/field.ts";
import { fieldsOf, isSameJson, ownValue, textOf, type UnknownRecord } from "../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds, namespaceOf } from "../kubernetes/object.ts";
import { type ClusterRecord, clusterRecord, type Records } from "./cluster-record.ts";
import { isFinalState } from "./cluster-state.ts";
import { type PlannedUpgrade, plannedUpgrade } from "./planned-upgrade.ts";
import { type CguName, cguLabels } from "./work-identity.ts";

/** With a few hundred bytes for each cluster, a report stays far below the API's size limit. */
const clustersPerReport = 1_000;

const completePull = object({
  bytes: required(whole({ minimum: 1, format: "int64" })),
  from: required(time()),
  until: required(time()),
});

export type CompletePull = NonNullable<ValueOf<typeof completePull>>;

/** A shorter pull is not measured: reports are some seconds old, so the speed would be wrong. */
const minSeconds = 20;

/** Returns the bytes and times of a pull; undefined if it has not succeeded or was too short to measure a speed. */
export function completePullOf(record: ClusterRecord): CompletePull | undefined {
  const { state, pullStart, bytesDone = 0, since } = record;
  if (state !== "Succeeded" || !pullStart) return undefined;
  const bytes = bytesDone - pullStart.bytes;
  const seconds = (Date.parse(since) - Date.parse(pullStart.at)) / 1000;
  return bytes > 0 && seconds >= minSeconds ? { bytes, from: pullStart.at, until: since } : undefined;
}

/** The fields of a PreCachingReport. */
export const reportFields = object({
  revision: required(text({ description: "Names the content that these clusters pre-cache." })),
  written: time(),
  lookAt: time({ description: "When the clusters are reconciled again even without a new report." }),
  clusters: required(
    map(clusterRecord, {
      description:
        "The clusters by name, up to a thousand; a ClusterGroupUpgrade with more has several reports.",
    }),
  ),
  pulls: map(completePull, {
    description:
      "What the last complete run of each cluster has pulled, and when; kept when the content changes. Forecasts learn speeds from it.",
  }),
});

function recordsIn(report: KubernetesObject): Records {
  return valueIn(reportFields, report)?.clusters ?? new Map();
}

const clustersIn = ({ clusters }: KubernetesObject): UnknownRecord => fieldsOf(clusters);

function current(reports: readonly KubernetesObject[], revision: string): readonly KubernetesObject[] {
  return reports.filter((report) => report.revision === revision);
}

/** Returns the PreCachingReports among these objects that belong to a ClusterGroupUpgrade. */
export function reportsOf(
  cgu: KubernetesObject,
  objects: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  const namespace = namespaceOf(cgu);
  const labels = Object.entries(cguLabels({ namespace, name: cgu.metadata.name }));
  return objects.filter(
    (object) =>
      isKind(kinds.PreCachingReport, object) &&
      namespaceOf(object) === namespace &&
      labels.every(([label, value]) => ownValue(object.metadata.labels, label) === value),
  );
}

/** Returns the records of one revision from a ClusterGroupUpgrade's PreCachingReports. Invalid entries are skipped. */
export function recordsOf(reports: readonly KubernetesObject[], revision: string): Records {
  return new Map(current(reports, revision).flatMap((report) => [...recordsIn(report)]));
}

/** Like `plannedUpgrade`, but `states` is empty while the status has only states for the previous content. */
export function currentUpgrade(
  cgu: KubernetesObject,
  reports: readonly KubernetesObject[],
): PlannedUpgrade | undefined {
  const upgrade = plannedUpgrade(cgu);
  const isNew = upgrade && reports.length > 0 && current(reports, upgrade.revision).length === 0;
  return isNew ? { ...upgrade, states: {} } : upgrade;
}

/** Reports whether all planned clusters have ended their runs with the current content. */
export function isDone(cgu: KubernetesObject, reports: readonly KubernetesObject[]): boolean {
  const upgrade = plannedUpgrade(cgu);
  if (!upgrade || current(reports, upgrade.revision).length === 0) return false;
  return upgrade.clusters.every((cluster) => isFinalState(ownValue(upgrade.states, cluster)));
}

/** Returns the last complete pull of each cluster, by cluster name. */
export function completePullsOf(reports: readonly KubernetesObject[]): ReadonlyMap<string, CompletePull> {
  const latest = new Map<string, CompletePull>();
  for (const [cluster, pull] of reports.flatMap((report) => [
    ...(valueIn(reportFields, report)?.pulls ?? new Map<string, CompletePull>()),
  ])) {
    const before = latest.get(cluster);
    if (!before || Date.parse(before.until) < Date.parse(pull.until)) latest.set(cluster, pull);
  }
  return latest;
}

function pullsAfter(
  report: KubernetesObject | undefined,
  records: Iterable<readonly [string, ClusterRecord]>,
): Readonly<Record<string, unknown>> {
  const ended = [...records].flatMap(([cluster, record]) => {
    const pull = completePullOf(record);
    return pull ? [[cluster, pull] as const] : [];
  });
  const isOwn = new Set(ended.map(([cluster]) => cluster));
  const until = (pull: unknown) => Date.parse(textOf(fieldsOf(pull).until) ?? "") || 0;
  const earlier = Object.entries(fieldsOf(report?.pulls))
    .filter(([cluster]) => !isOwn.has(cluster))
    .sort(([, a], [, b]) => until(b) - until(a))
    .slice(0, Math.max(0, clustersPerReport - ended.length));
  const pulls = Object.fromEntries([...earlier, ...ended]);
  return Object.keys(pulls).length > 0 ? { pulls } : {};
}

/** Returns the time of the next scheduled reconcile; undefined if no report of this revision has a time. */
export function plannedReconcile(reports: readonly KubernetesObject[], revision: string): Date | undefined {
  const times = current(reports, revision).flatMap(({ lookAt }) =>
    typeof lookAt === "string" ? [lookAt] : [],
  );
  return times[0] === undefined ? undefined : new Date(times[0]);
}

const reportName = ({ name }: CguName, index: number): string => `${name.slice(0, 240)}-${index}`;

function emptyReport(cgu: KubernetesObject, { namespace, name }: CguName, report: string): KubernetesObject {
  const { apiVersion, kind } = kinds.PreCachingReport;
  const { uid } = cgu.metadata;
  const owner = { apiVersion: cgu.apiVersion, kind: cgu.kind, name: cgu.metadata.name };
  return {
    apiVersion,
    kind,
    metadata: {
      namespace,
      name: report,
      labels: cguLabels({ namespace, name }),
      ...(uid ? { ownerReferences: [{ ...owner, uid }] } : {}),
    },
  };
}

function withoutCounts(stored: unknown): UnknownRecord {
  const { imagesDone: _images, bytesDone: _bytes, ...others } = fieldsOf(stored);
  return others;
}

const countsAfterSeconds = 60;

function isDue({ written }: KubernetesObject, now: Date): boolean {
  return typeof written !== "string" || now.getTime() - Date.parse(written) >= countsAfterSeconds * 1000;
}

function isWorthWriting(before: KubernetesObject, after: UnknownRecord, now: Date): boolean {
  const present = clustersIn(before);
  if (isSameJson(present, after)) return false;
  if (isDue(before, now) || Object.keys(present).length !== Object.keys(after).length) return true;
  return Object.entries(after).some(
    ([cluster, record]) => !isSameJson(withoutCounts(ownValue(present, cluster)), withoutCounts(record)),
  );
}

/**
 * Returns the new and changed reports for these records; changed reports keep the resourceVersion that was read.
 * Changes of counters alone are written at most once a minute. A cluster stays in its report.
 */
export function changedReports(
  reports: readonly KubernetesObject[],
  {
    cgu,
    name,
    revision,
    clusters,
    records,
    lookAt,
    now,
  }: Readonly<{
    cgu: KubernetesObject;
    name: CguName;
    revision: string;
    clusters: readonly string[];
    records: Records;
    lookAt: Date | undefined;
    now: Date;
  }>,
): readonly KubernetesObject[] {
  const byName = new Map(reports.map((report) => [report.metadata.name, report]));
  const indexOf = new Map(clusters.map((cluster, index) => [cluster, Math.floor(index / clustersPerReport)]));
  const stays = new Map(
    current(reports, revision).flatMap((report) =>
      Object.keys(clustersIn(report)).map((cluster) => [cluster, report.metadata.name] as const),
    ),
  );
  const wanted = Map.groupBy(
    records,
    ([cluster]) => stays.get(cluster) ?? reportName(name, indexOf.get(cluster) ?? 0),
  );
  const first = reportName(name, 0);
  const written = now.toISOString();
  return [...wanted].flatMap(([report, ofReport]): KubernetesObject[] => {
    const content = Object.fromEntries(ofReport);
    const present = byName.get(report);
    const { lookAt: before, ...base } = present ?? emptyReport(cgu, name, report);
    const time = report === first ? lookAt?.toISOString() : undefined;
    const isNew = present === undefined || present.revision !== revision;
    const isTimeNew = (typeof before === "string" ? before : undefined) !== time;
    if (!isNew && !isTimeNew && !isWorthWriting(present, content, now)) return [];
    const pulls = pullsAfter(present, ofReport);
    return [{ ...base, revision, written, ...(time ? { lookAt: time } : {}), clusters: content, ...pulls }];
  });
}
