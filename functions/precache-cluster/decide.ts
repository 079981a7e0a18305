import { isRecord, isStringList } from "#shared/domain/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Action, Decision, Plan } from "#shared/domain/plan/plan.ts";
import { isFinalState, isRunningState } from "#shared/domain/precache/model/cluster-state.ts";
import { type Contender, waitingReason, waitsFor } from "#shared/domain/precache/model/precedence.ts";
import { admit } from "#shared/domain/precache/progress/admission.ts";
import { bandwidthAnnotations } from "#shared/domain/precache/progress/bandwidth-annotations.ts";
import {
  isEndedByHub,
  isPulling,
  isUnreached,
  releasesSlot,
} from "#shared/domain/precache/progress/cluster-record.ts";
import { limitsOf, readLimits } from "#shared/domain/precache/progress/concurrency.ts";
import { parallelPulls } from "#shared/domain/precache/progress/parallel-pulls.ts";
import {
  type PlannedUpgrade,
  plannedUpgrade,
  withStates,
} from "#shared/domain/precache/progress/planned-upgrade.ts";
import { type Records, recordsOf } from "#shared/domain/precache/progress/precaching-report.ts";
import {
  bandwidthsOf,
  remainingDownloads,
  sharedLinks,
  tooLate,
} from "#shared/domain/precache/progress/remaining-download.ts";
import { feedbackOf } from "#shared/domain/precache/work/feedback.ts";
import { isSuspended, manifestWork, withSuspend } from "#shared/domain/precache/work/manifest-work.ts";
import { type Run, workName } from "#shared/domain/precache/work/work-identity.ts";
import { type Gate, gatekeeper } from "#shared/domain/windows/gate.ts";
import type { Snapshot } from "./observe.ts";

const nothing: Plan = { decisions: [], issues: [], actions: [] };

/** What happens to a cluster that a hint names, and why. */
type Step = Readonly<{
  cluster: string;
  verdict: "start" | "claim" | "give back" | "remove" | "suspend" | "resume" | "wait" | "leave";
  reason: string;
}>;

type Situation = Readonly<{
  upgrade: PlannedUpgrade;
  states: Readonly<Record<string, string>>;
  records: Records;
  cgu: KubernetesObject;
  others: readonly KubernetesObject[];
  works: readonly KubernetesObject[];
  gateOf(cluster: string): Gate;
  /** The bandwidth of a cluster's link in Mbit/s, if known. */
  bandwidthOf(cluster: string): number | undefined;
  /** The maximum number of images that a cluster pulls at a time, if set. */
  parallelPulls: number | undefined;
  /**
   * Why the rest of an opening is too short for a cluster, next to those that pull already or were decided before it.
   */
  tooLateFor(cluster: string): string | undefined;
}>;

function contender({ metadata }: KubernetesObject, state: string | undefined): Contender {
  const { namespace = "", name, creationTimestamp = "" } = metadata;
  return { namespace, name, creationTimestamp, state };
}

/** Returns the other CGUs that want this cluster: those that planned it, and TALM's own that run on it. */
function rivalsFor(cluster: string, others: readonly KubernetesObject[]): readonly Contender[] {
  return others.flatMap((other) => {
    const precaching = isRecord(other.status) ? other.status.precaching : undefined;
    if (!isRecord(precaching)) return [];
    const stored = isRecord(precaching.status) ? precaching.status[cluster] : undefined;
    const isPlanned = isStringList(precaching.clusters) && precaching.clusters.includes(cluster);
    const state = typeof stored === "string" ? stored : undefined;
    return isPlanned || state !== undefined ? [contender(other, state)] : [];
  });
}

/** Runs that failed on the cluster are kept for diagnosis. */
function isToRemove(cluster: string, { upgrade, states, records }: Situation): boolean {
  const record = records.get(cluster);
  if (states[cluster] === "Succeeded" || (record && isEndedByHub(record))) return true;
  return upgrade.isOver && !upgrade.keepsObjects;
}

function workOf(cluster: string, situation: Situation): KubernetesObject | undefined {
  const name = workName(runFor(cluster, situation));
  return situation.works.find(({ metadata }) => metadata.namespace === cluster && metadata.name === name);
}

/**
 * A running run continues only inside its windows, and resumes there only when its remaining download fits; finished
 * layers stay on the cluster.
 */
function stepOfRunning(cluster: string, situation: Situation): Step {
  const gate = situation.gateOf(cluster);
  const work = workOf(cluster, situation);
  const isToSuspend = !gate.isOpen && gate.atEnd === "Suspend";
  if (!work || (!gate.isOpen && !isToSuspend) || !withSuspend(work, isToSuspend))
    return { cluster, verdict: "leave", reason: `It is in progress: ${situation.states[cluster]}.` };
  if (!gate.isOpen) return { cluster, verdict: "suspend", reason: `${gate.reason}.` };
  const late = situation.tooLateFor(cluster);
  return late
    ? { cluster, verdict: "wait", reason: late }
    : { cluster, verdict: "resume", reason: "No window restricts it now." };
}

/** The Job is suspended before its slot goes to another cluster, but never when the agent has picked it up. */
function stepOfUnreached(cluster: string, situation: Situation): Step {
  const work = workOf(cluster, situation);
  const isToSuspend = work && feedbackOf(work)?.applied === undefined && withSuspend(work, true);
  return isToSuspend
    ? {
        cluster,
        verdict: "suspend",
        reason: "Its agent is unreachable, so its slot goes to another cluster.",
      }
    : { cluster, verdict: "leave", reason: "Its agent is unreachable." };
}

function stepOfClaimed(cluster: string, situation: Situation): Step {
  const work = workOf(cluster, situation);
  const verdict = work && isSuspended(work) ? "resume" : "start";
  return { cluster, verdict, reason: "It has a slot." };
}

function stepOf(cluster: string, situation: Situation): Step {
  const { upgrade, states, records, cgu, others } = situation;
  const state = states[cluster];
  const leave = (reason: string): Step => ({ cluster, verdict: "leave", reason });
  if (isFinalState(state))
    return isToRemove(cluster, situation)
      ? { cluster, verdict: "remove", reason: `It has ended: ${state}.` }
      : leave(`It has ended and is kept for diagnosis: ${state}.`);
  if (upgrade.isOver) return leave("The upgrade is over.");
  const gate = situation.gateOf(cluster);
  if (state === "PreparingToStart") {
    if (!gate.isOpen) return { cluster, verdict: "give back", reason: `${gate.reason}.` };
    const rival = rivalsFor(cluster, others).find(({ state: stage }) => isRunningState(stage));
    return rival
      ? { cluster, verdict: "give back", reason: waitingReason(rival) }
      : stepOfClaimed(cluster, situation);
  }
  const record = records.get(cluster);
  if (record && releasesSlot(record)) return stepOfUnreached(cluster, situation);
  if (state !== undefined) return stepOfRunning(cluster, situation);
  if (record && isUnreached(record)) return leave(record.message);
  if (!gate.isOpen) return { cluster, verdict: "wait", reason: `${gate.reason}.` };
  const late = situation.tooLateFor(cluster);
  if (late) return { cluster, verdict: "wait", reason: late };
  const rival = waitsFor(contender(cgu, state), rivalsFor(cluster, others));
  return rival
    ? leave(waitingReason(rival))
    : { cluster, verdict: "claim", reason: "It has not stepOfClaimed." };
}

function runFor(cluster: string, { upgrade, records }: Situation): Run {
  const { name: cgu, revision } = upgrade;
  return { cgu, revision, attempt: records.get(cluster)?.attempt ?? 1 };
}

function removal(cluster: string, run: Run, reason: string): Action {
  const { apiVersion, kind } = kinds.ManifestWork;
  const object = { apiVersion, kind, metadata: { namespace: cluster, name: workName(run) } };
  return { verb: "delete", object, reason, accepts: "NotFound" };
}

/** Returns the writes on the cluster's objects; a write that is already done counts as done. */
function actionsOf({ cluster, verdict, reason }: Step, situation: Situation): readonly Action[] {
  const run = runFor(cluster, situation);
  if (verdict === "remove") return [removal(cluster, run, reason)];
  if (verdict === "suspend" || verdict === "resume") {
    const work = workOf(cluster, situation);
    const object = work && withSuspend(work, verdict === "suspend");
    return object ? [{ verb: "update", object, reason }] : [];
  }
  if (verdict !== "start") return [];
  const { content, workloadImage: image, timeoutMinutes } = situation.upgrade;
  const bandwidthMbits = situation.bandwidthOf(cluster);
  const pullOptions = {
    ...(bandwidthMbits === undefined ? {} : { bandwidthMbits }),
    ...(situation.parallelPulls === undefined ? {} : { parallelPulls: situation.parallelPulls }),
  };
  const object = manifestWork(cluster, { run, content, image, timeoutMinutes, ...pullOptions });
  const earlier =
    run.attempt > 1 ? [removal(cluster, { ...run, attempt: run.attempt - 1 }, "A retry replaces it.")] : [];
  // Without the cluster's namespace there is no cluster: its claim stays, and precache-status reports why.
  return [...earlier, { verb: "create", object, reason, accepts: ["AlreadyExists", "NotFound"] }];
}

/**
 * Decides the next step of the named clusters of a ClusterGroupUpgrade. A cluster starts in two steps: it claims its
 * slot in `status.precaching.status`, in one write with the other clusters of the batch, and creates the ManifestWork
 * only after it reads its claim back. So two concurrent decisions cannot both take the last slot, and a process that
 * is killed in between leaves a claim that the redelivered message continues from.
 */
export function decide(snapshot: Snapshot): Plan {
  const { now, cgu, clusters, reports, config, others, managedClusters, windows, works } = snapshot;
  const upgrade = cgu && plannedUpgrade(cgu);
  if (!cgu || !upgrade) return nothing;
  const { states } = upgrade;
  const windowReferrers = [cgu, ...(config ? [config] : [])];
  const labels = new Map(managedClusters.map(({ metadata }) => [metadata.name, metadata.labels]));
  const gate = gatekeeper(windows, ({ allow }) => allow.preCaching, now);
  const records = recordsOf(reports, upgrade.revision);
  const gateOf = (cluster: string) => gate(windowReferrers, labels.get(cluster));
  const labelsOf = (cluster: string) => labels.get(cluster);
  const pulls = parallelPulls(windowReferrers);
  const remainingDownloadOf = remainingDownloads(windowReferrers, records, labelsOf);
  const links = sharedLinks(remainingDownloadOf);
  const situation: Situation = {
    upgrade,
    states,
    records,
    cgu,
    others,
    works,
    gateOf,
    bandwidthOf: bandwidthsOf(windowReferrers, labelsOf),
    tooLateFor: (cluster) =>
      tooLate(gateOf(cluster), remainingDownloadOf(cluster), now, links.besides(cluster)),
    parallelPulls: pulls.most,
  };
  for (const cluster of upgrade.clusters)
    if (isPulling(states[cluster], records.get(cluster))) links.use(cluster);
  const named = new Set(clusters);
  const planned = upgrade.clusters.filter((cluster) => named.has(cluster));
  // Running clusters continue before others start.
  const runningFirst = [true, false].flatMap((isRunning) =>
    planned.filter((cluster) => isRunningState(states[cluster]) === isRunning),
  );
  const steps = runningFirst.map((cluster) => {
    const step = stepOf(cluster, situation);
    const work = workOf(cluster, situation);
    // A run that was resumed just now is still recorded as suspended.
    const isResumed = step.verdict === "leave" && work !== undefined && !isSuspended(work);
    if (isResumed || step.verdict === "resume" || step.verdict === "claim") links.use(cluster);
    return step;
  });

  const limits = readLimits(windowReferrers);
  const siteOf = (cluster: string) => labels.get(cluster)?.[limits.site?.label ?? ""];
  const { admitted, waiting } = admit(
    steps.filter(({ verdict }) => verdict === "claim").map(({ cluster }) => cluster),
    upgrade.clusters.filter((cluster) => isRunningState(states[cluster])),
    limitsOf(upgrade, limits, siteOf, others),
  );
  const decisions = steps.map(({ cluster, verdict, reason }): Decision => {
    const isFull = waiting.get(cluster);
    return { subject: cluster, verdict: isFull ? "wait" : verdict, reason: isFull ?? reason };
  });
  const givenBack = steps.filter(({ verdict }) => verdict === "give back").map(({ cluster }) => cluster);
  const issues = [...limits.issues, ...bandwidthAnnotations(windowReferrers).issues, ...pulls.issues];
  const plan = { ...nothing, decisions, issues };
  if (admitted.length + givenBack.length > 0) {
    const kept = Object.entries(states).filter(([cluster]) => !givenBack.includes(cluster));
    const claims = admitted.map((cluster) => [cluster, "PreparingToStart"]);
    const object = withStates(cgu, Object.fromEntries([...kept, ...claims]));
    const reason = `slots: ${admitted.length} claimed, ${givenBack.length} given back`;
    const resumedOrSuspended = steps.filter(({ verdict }) => verdict === "resume" || verdict === "suspend");
    const actions = resumedOrSuspended.flatMap((step) => actionsOf(step, situation));
    return { ...plan, actions: [{ verb: "update-status", object, reason }, ...actions], again: true };
  }
  return { ...plan, actions: steps.flatMap((step) => actionsOf(step, situation)) };
}
