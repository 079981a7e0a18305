import { isRecord, isStringList } from "#shared/domain/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Action, Decision, Plan } from "#shared/domain/plan/plan.ts";
import { isFinalState, isRunningState } from "#shared/domain/precache/model/cluster-state.ts";
import { type Contender, waitingReason, waitsFor } from "#shared/domain/precache/model/precedence.ts";
import { admit } from "#shared/domain/precache/progress/admission.ts";
import { bandwidthAnnotations } from "#shared/domain/precache/progress/bandwidth-annotations.ts";
import {
  givesPlaceAway,
  isEndedByHub,
  isPulling,
  isUnreached,
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

/** What happens to a named cluster, and why. */
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
  /** Mbit/s to a cluster, where somebody has told. */
  bandwidthOf(cluster: string): number | undefined;
  /** How many images a cluster pulls at a time at most, where somebody has told. */
  parallelPulls: number | undefined;
  /** Why what is left of an opening is too short for a cluster, beside those that pull or were decided to before it. */
  tooLateFor(cluster: string): string | undefined;
}>;

function contender({ metadata }: KubernetesObject, state: string | undefined): Contender {
  const { namespace = "", name, creationTimestamp = "" } = metadata;
  return { namespace, name, creationTimestamp, state };
}

/** The other CGUs that want this cluster: those that planned it, and TALM's own that are on it. */
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

/** Whether a run that has ended is taken off the cluster; one that failed there stays for diagnosis. */
function isToRemove(cluster: string, { upgrade, states, records }: Situation): boolean {
  const record = records.get(cluster);
  if (states[cluster] === "Succeeded" || (record && isEndedByHub(record))) return true;
  return upgrade.isOver && !upgrade.keepsObjects;
}

/** The ManifestWork of the cluster's present run. */
function workOf(cluster: string, situation: Situation): KubernetesObject | undefined {
  const name = workName(runFor(cluster, situation));
  return situation.works.find(({ metadata }) => metadata.namespace === cluster && metadata.name === name);
}

/**
 * A run that is on its way goes on inside its windows alone, and there only in what its rest fits; what is finished of
 * it stays on the cluster.
 */
function onItsWay(cluster: string, situation: Situation): Step {
  const gate = situation.gateOf(cluster);
  const work = workOf(cluster, situation);
  const isToSuspend = !gate.isOpen && gate.atEnd === "Suspend";
  if (!work || (!gate.isOpen && !isToSuspend) || !withSuspend(work, isToSuspend))
    return { cluster, verdict: "leave", reason: `It is on its way: ${situation.states[cluster]}.` };
  if (!gate.isOpen) return { cluster, verdict: "suspend", reason: `${gate.reason}.` };
  const late = situation.tooLateFor(cluster);
  return late
    ? { cluster, verdict: "wait", reason: late }
    : { cluster, verdict: "resume", reason: "No window keeps it back." };
}

/** Its Job is suspended before its place goes to another: never one that an agent has taken up. */
function outOfReach(cluster: string, situation: Situation): Step {
  const work = workOf(cluster, situation);
  const isToSuspend = work && feedbackOf(work)?.applied === undefined && withSuspend(work, true);
  return isToSuspend
    ? { cluster, verdict: "suspend", reason: "Its agent does not come by, and its place goes to another." }
    : { cluster, verdict: "leave", reason: "Its agent does not come by." };
}

/** Who has a place starts; who was suspended for want of one goes on. */
function started(cluster: string, situation: Situation): Step {
  const work = workOf(cluster, situation);
  const verdict = work && isSuspended(work) ? "resume" : "start";
  return { cluster, verdict, reason: "It has a place." };
}

function stepOf(cluster: string, situation: Situation): Step {
  const { upgrade, states, records, cgu, others } = situation;
  const state = states[cluster];
  const leave = (reason: string): Step => ({ cluster, verdict: "leave", reason });
  if (isFinalState(state))
    return isToRemove(cluster, situation)
      ? { cluster, verdict: "remove", reason: `It has ended: ${state}.` }
      : leave(`It has ended and stays for diagnosis: ${state}.`);
  if (upgrade.isOver) return leave("The upgrade is over.");
  const gate = situation.gateOf(cluster);
  if (state === "PreparingToStart") {
    if (!gate.isOpen) return { cluster, verdict: "give back", reason: `${gate.reason}.` };
    const rival = rivalsFor(cluster, others).find(({ state: stage }) => isRunningState(stage));
    return rival
      ? { cluster, verdict: "give back", reason: waitingReason(rival) }
      : started(cluster, situation);
  }
  const record = records.get(cluster);
  if (record && givesPlaceAway(record)) return outOfReach(cluster, situation);
  if (state !== undefined) return onItsWay(cluster, situation);
  if (record && isUnreached(record)) return leave(record.message);
  if (!gate.isOpen) return { cluster, verdict: "wait", reason: `${gate.reason}.` };
  const late = situation.tooLateFor(cluster);
  if (late) return { cluster, verdict: "wait", reason: late };
  const rival = waitsFor(contender(cgu, state), rivalsFor(cluster, others));
  return rival ? leave(waitingReason(rival)) : { cluster, verdict: "claim", reason: "It has not started." };
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

/** The writes on the cluster's own objects; those that are done already are accepted as done. */
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
  const told = {
    ...(bandwidthMbits === undefined ? {} : { bandwidthMbits }),
    ...(situation.parallelPulls === undefined ? {} : { parallelPulls: situation.parallelPulls }),
  };
  const object = manifestWork(cluster, { run, content, image, timeoutMinutes, ...told });
  const earlier =
    run.attempt > 1 ? [removal(cluster, { ...run, attempt: run.attempt - 1 }, "It is tried again.")] : [];
  // Without the cluster's namespace there is no cluster: its claim stays, and following tells why.
  return [...earlier, { verb: "create", object, reason, accepts: ["AlreadyExists", "NotFound"] }];
}

/**
 * What happens to the named clusters of a ClusterGroupUpgrade. A cluster takes two steps to start: it claims its
 * place in `status.precaching.status`, in one write with the other clusters of the batch, and only who finds its
 * claim there creates the ManifestWork. Two that decide at the same time cannot both have the last place, and
 * whoever is killed in between leaves a claim that the repeated message goes on from.
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
  // Who is on the way goes on before others begin.
  const inTurn = [true, false].flatMap((isRunning) =>
    planned.filter((cluster) => isRunningState(states[cluster]) === isRunning),
  );
  const steps = inTurn.map((cluster) => {
    const step = stepOf(cluster, situation);
    const work = workOf(cluster, situation);
    // What was resumed a moment ago is still recorded as suspended.
    const isResumed = step.verdict === "leave" && work !== undefined && !isSuspended(work);
    if (isResumed || step.verdict === "resume" || step.verdict === "claim") links.use(cluster);
    return step;
  });

  const wishes = readLimits(windowReferrers);
  const siteOf = (cluster: string) => labels.get(cluster)?.[wishes.site?.label ?? ""];
  const { admitted, waiting } = admit(
    steps.filter(({ verdict }) => verdict === "claim").map(({ cluster }) => cluster),
    upgrade.clusters.filter((cluster) => isRunningState(states[cluster])),
    limitsOf(upgrade, wishes, siteOf, others),
  );
  const decisions = steps.map(({ cluster, verdict, reason }): Decision => {
    const isFull = waiting.get(cluster);
    return { subject: cluster, verdict: isFull ? "wait" : verdict, reason: isFull ?? reason };
  });
  const givenBack = steps.filter(({ verdict }) => verdict === "give back").map(({ cluster }) => cluster);
  const issues = [...wishes.issues, ...bandwidthAnnotations(windowReferrers).issues, ...pulls.issues];
  const plan = { ...nothing, decisions, issues };
  if (admitted.length + givenBack.length > 0) {
    const kept = Object.entries(states).filter(([cluster]) => !givenBack.includes(cluster));
    const claims = admitted.map((cluster) => [cluster, "PreparingToStart"]);
    const object = withStates(cgu, Object.fromEntries([...kept, ...claims]));
    const reason = `places: ${admitted.length} claimed, ${givenBack.length} given back`;
    const goingOn = steps.filter(({ verdict }) => verdict === "resume" || verdict === "suspend");
    const actions = goingOn.flatMap((step) => actionsOf(step, situation));
    return { ...plan, actions: [{ verb: "update-status", object, reason }, ...actions], again: true };
  }
  return { ...plan, actions: steps.flatMap((step) => actionsOf(step, situation)) };
}
