import { decide } from "#functions/precache-status/decide.ts";
import type { Snapshot } from "#functions/precache-status/observe.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Action, Plan } from "#shared/domain/plan/plan.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { withSuspend } from "#shared/domain/precache-start/work/manifest-work.ts";
import { outcomesOf as outcomesOfActions } from "../messages/outcomes-of.ts";
import { reported } from "./precache-objects.ts";
import { aStoredUpgrade, reportsFor, runOfUpgrade, workFor } from "./precache-snapshots.ts";
import { start as now } from "./precache-system.ts";

export const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
export const ago = (seconds: number) => later(-seconds).toISOString().replace(".000Z", "Z");
export const noSurroundings = { windows: [], configs: [], managedClusters: [], others: [] };

/** The hub as a reconcile reads it: all ManifestWorks, and what decides who runs. */
export const aSnapshot = (cgu: KubernetesObject | undefined, changes: Partial<Snapshot> = {}): Snapshot => ({
  now,
  hubId: "urn:test:hub",
  name: { namespace: "default", name: "upgrade" },
  cgu,
  reports: [],
  works: [],
  read: new Map(),
  unread: [],
  surroundings: noSurroundings,
  ...changes,
});
/** The same as read for messages about ends: only the ManifestWorks of these clusters. */
export const asReadFor = (
  snapshot: Snapshot,
  read: Readonly<Record<string, KubernetesObject | undefined>>,
): Snapshot => ({ ...snapshot, works: undefined, read: new Map(Object.entries(read)) });

export const writesOf = ({ guard, actions }: Plan): readonly Action[] => [
  ...(guard ? [guard] : []),
  ...actions,
];
export const outcomesOf = (plan: Plan) => outcomesOfActions({ ...plan, actions: writesOf(plan) });
export const decisions = (plan: Plan) =>
  plan.decisions.map(({ subject, verdict, reason }) => `${subject} ${verdict}: ${reason}`);
export const written = (plan: Plan) =>
  writesOf(plan).map(({ verb, object, reason }) =>
    [verb, object.kind, object.metadata.namespace, `${object.metadata.name}: ${reason}`].join(" "),
  );
export const writtenKinds = (plan: Plan) =>
  writesOf(plan).map(({ verb, object }) => `${verb} ${object.kind}`);
/** The clusters that a plan sends messages about. */
export const named = ({ sends = [] }: Plan) =>
  sends.flatMap(({ events }) => events.flatMap(({ data }) => data.cluster ?? []));
/** The seconds until the reconcile that a plan sends a message for. */
export const laterIn = ({ sends = [] }: Plan) =>
  sends.find(({ queue }) => queue === "precache-feedback")?.delaySeconds;
export const outcomes = (plan: Plan) =>
  outcomesOf(plan).map(({ type, subject }) => `${type.replace("dev.hubrelay.precache.", "")} ${subject}`);
/** The records that a plan writes. */
export const recordsIn = ({ actions }: Plan): Readonly<Record<string, ClusterRecord>> =>
  Object.assign({}, ...actions.map(({ object }) => object.clusters ?? {}));
/** The states that a plan writes. */
export const statesIn = ({ guard }: Plan) => Object(guard?.object.status).precaching?.status;
export const conditionIn = ({ guard }: Plan) => {
  const { conditions = [] } = Object(guard?.object.status);
  const { type, status, reason, message } = conditions.at(-1) ?? {};
  return [type, status, reason, message].join(" ");
};

export type Job = NonNullable<Parameters<typeof reported>[1]["job"]>;
export const one = aStoredUpgrade(["sno1"]);
export const upgradeName = "ClusterGroupUpgrade/default/upgrade";
/** The work of a cluster with the feedback of its Job. */
export const workWith = (
  job: Job,
  cgu: KubernetesObject = one,
  { cluster = "sno1", attempt = 1, progress = {} as Readonly<Record<string, string>> } = {},
) => reported(workFor(cgu, cluster, attempt), { job, progress }, runOfUpgrade(cgu, attempt));
export const pulling: Job = { active: 1 };
export const succeeded: Job = { succeeded: 1, complete: "True" };
export const failed: Job = { failed: 1, failedStatus: "True", failedReason: "BackoffLimitExceeded" };
export const suspendedJob: Job = { suspended: "True" };
export const held = (work: KubernetesObject) => withSuspend(work, true) ?? work;
export const deleting = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: Object.assign({ deletionTimestamp: "2026-03-01T02:00:00Z" }, object.metadata),
});
export const withRetry = (object: KubernetesObject, retry: string): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { "hubrelay.dev/retry": retry, own: "x" } },
});

/** What this function reads of the hub after a plan was applied. */
export function afterwards(snapshot: Snapshot, plan: Pick<Plan, "guard" | "actions">): Snapshot {
  let { cgu, works, reports } = snapshot;
  for (const { verb, object } of [...(plan.guard ? [plan.guard] : []), ...plan.actions]) {
    const isThis = ({ metadata }: KubernetesObject) =>
      metadata.name === object.metadata.name && metadata.namespace === object.metadata.namespace;
    const kept =
      verb === "delete" ? [] : [{ ...object, metadata: { ...object.metadata, resourceVersion: "12" } }];
    if (isKind(kinds.ClusterGroupUpgrade, object)) cgu = kept[0];
    if (isKind(kinds.PreCachingReport, object))
      reports = [...reports.filter((report) => !isThis(report)), ...kept];
    if (isKind(kinds.ManifestWork, object)) works = works?.filter((work) => !isThis(work));
  }
  return { ...snapshot, cgu, works, reports };
}

/** An upgrade and its records, as this function leaves them when it reads these works. */
export function settled(cgu: KubernetesObject, works: readonly KubernetesObject[], at = now): Snapshot {
  const snapshot = aSnapshot(cgu, { works, now: at });
  return afterwards(snapshot, decide(snapshot));
}

/** An upgrade of sno1 with this record, and the status that belongs to it. */
export const recorded = (state: ClusterRecord["state"], fields: Partial<ClusterRecord> = {}) => {
  const states: Readonly<Record<string, string>> = state === "NotStarted" ? {} : { sno1: state };
  const cgu = aStoredUpgrade(["sno1"], { states });
  return { cgu, reports: reportsFor(cgu, { sno1: { state, started: ago(0), ...fields } }) };
};
