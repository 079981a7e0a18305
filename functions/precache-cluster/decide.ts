import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { type Action, type Decision, emptyPlan, type Plan } from "#shared/domain/plan/plan.ts";
import { isChecking } from "#shared/domain/precache-model/check-record.ts";
import { type ClusterRecord, releasesSlot } from "#shared/domain/precache-model/cluster-record.ts";
import { labelsByCluster, type PlannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { currentUpgrade, recordsOf } from "#shared/domain/precache-model/precaching-report.ts";
import { type CheckRun, type Run, workName } from "#shared/domain/precache-model/work-identity.ts";
import { noWorkloadImage, runImage } from "#shared/domain/precache-model/workload-image.ts";
import { checkMinutes, checkRunFor } from "#shared/domain/precache-progress/cluster-check.ts";
import { feedbackOf } from "#shared/domain/precache-progress/feedback.ts";
import { desiredWork } from "#shared/domain/precache-progress/follow.ts";
import { linksOf, parallelPulls } from "#shared/domain/precache-start/limits.ts";
import { runningRival, waitingReason } from "#shared/domain/precache-start/start-obstacle.ts";
import { manifestWork, withSuspend } from "#shared/domain/precache-start/work/manifest-work.ts";
import type { Snapshot } from "./observe.ts";

/**
 * Returns the plan that makes the ManifestWorks of the named clusters match their records. Only precache-status writes
 * records; messages cannot change them. No run is created while another ClusterGroupUpgrade has started on the cluster:
 * two upgrades may have got a slot at once.
 */
export function decide(snapshot: Snapshot): Plan {
  const { cgu, clusters, reports } = snapshot;
  const upgrade = cgu && currentUpgrade(cgu, reports);
  // When a ClusterGroupUpgrade is being deleted, precache-status removes its ManifestWorks.
  if (!cgu || !upgrade || "deletionTimestamp" in cgu.metadata) return emptyPlan;
  const records = recordsOf(reports, upgrade.revision);
  const named = new Set(clusters);
  const stepFor = (cluster: string): Step => {
    const step = stepOf(cluster, records.get(cluster), { upgrade, cgu, snapshot });
    const isStart = step.verdict === "create" || step.verdict === "check";
    return isStart && snapshot.planning.isOff
      ? { verdict: "wait", reason: noWorkloadImage, actions: [] }
      : step;
  };
  const steps = upgrade.clusters
    .filter((cluster) => named.has(cluster))
    .map((cluster) => ({ cluster, step: stepFor(cluster) }));
  return {
    ...emptyPlan,
    decisions: steps.map(
      ({ cluster, step: { verdict, reason } }): Decision => ({ subject: cluster, verdict, reason }),
    ),
    actions: steps.flatMap(({ step }) => step.actions),
  };
}

type Step = Readonly<{
  verdict: "create" | "check" | "remove" | "suspend" | "resume" | "wait" | "leave";
  reason: string;
  actions: readonly Action[];
}>;

type Planned = Readonly<{ upgrade: PlannedUpgrade; cgu: KubernetesObject; snapshot: Snapshot }>;

const leave = (reason: string): Step => ({ verdict: "leave", reason, actions: [] });

function removal(cluster: string, run: Run | CheckRun, reason: string): Action {
  const { apiVersion, kind } = kinds.ManifestWork;
  const object = { apiVersion, kind, metadata: { namespace: cluster, name: workName(run) } };
  return { verb: "delete", object, part: cluster, reason, accepts: "NotFound" };
}

function creationOf(cluster: string, object: KubernetesObject, reason: string): Action {
  return { verb: "create", object, part: cluster, reason, accepts: ["AlreadyExists", "NotFound"] };
}

function checkCreation(cluster: string, run: CheckRun, { upgrade, snapshot }: Planned): Step {
  const reason = "It is checked; nothing is pulled.";
  const { content, workloadImage } = upgrade;
  const image = runImage(workloadImage, snapshot.planning);
  const object = manifestWork(cluster, { run, content, image, timeoutMinutes: checkMinutes });
  return { verdict: "check", reason, actions: [creationOf(cluster, object, reason)] };
}

/**
 * The maximum age of a slot whose Job starts at once. The run of an older slot may already have ended, since no version
 * guards a creation. So its Job is created suspended, and precache-status resumes it if the cluster still has its slot.
 */
const claimMaxAgeMs = 120_000;

function creation(
  cluster: string,
  { attempt, since }: ClusterRecord,
  { upgrade, cgu, snapshot }: Planned,
): Step {
  const { config, managedClusters, planning, now } = snapshot;
  const run: Run = { cgu: upgrade.name, revision: upgrade.revision, attempt };
  const { content, workloadImage, timeoutMinutes } = upgrade;
  const annotatedObjects = [cgu, ...(config ? [config] : [])];
  const link = linksOf(annotatedObjects, labelsByCluster(managedClusters))(cluster);
  const { max } = parallelPulls(annotatedObjects);
  const work = manifestWork(cluster, {
    run,
    content,
    image: runImage(workloadImage, planning),
    timeoutMinutes,
    ...(link ? { bandwidthMbits: link.mbit } : {}),
    ...(max === undefined ? {} : { parallelPulls: max }),
  });
  const isOld = now.getTime() - Date.parse(since) > claimMaxAgeMs;
  const object = (isOld && withSuspend(work, true)) || work;
  const reason = isOld ? "It got its slot a while ago: its Job waits to be resumed." : "It has a slot.";
  const earlier =
    run.attempt > 1 ? [removal(cluster, { ...run, attempt: run.attempt - 1 }, "A retry replaces it.")] : [];
  return { verdict: "create", reason, actions: [...earlier, creationOf(cluster, object, reason)] };
}

function stepOf(cluster: string, record: ClusterRecord | undefined, planned: Planned): Step {
  const { check } = record ?? {};
  if (!record || !check) return runStep(cluster, record, planned);
  const run = checkRunFor(planned.upgrade, check);
  if (isChecking(record)) return checkCreation(cluster, run, planned);
  const isOver = removal(cluster, run, "Its check is over.");
  if (record.state === "Succeeded") return { verdict: "remove", reason: isOver.reason, actions: [isOver] };
  const step = runStep(cluster, record, planned);
  const isBeforeRun = record.state === "NotStarted" || step.verdict === "create";
  return isBeforeRun ? { ...step, actions: [isOver, ...step.actions] } : step;
}

function runStep(cluster: string, record: ClusterRecord | undefined, planned: Planned): Step {
  if (!record) return leave("It has no slot.");
  const { upgrade, snapshot } = planned;
  const { state, reason, attempt } = record;
  const run = { cgu: upgrade.name, revision: upgrade.revision, attempt };
  const desired = desiredWork(record, upgrade);
  if (desired === "any") return leave(`Nothing changes in state ${state}.`);
  if (desired === "absent") {
    const why = `It has ended: ${state}.`;
    return { verdict: "remove", reason: why, actions: [removal(cluster, run, why)] };
  }
  const name = workName(run);
  const work = snapshot.works.find(
    ({ metadata }) => metadata.namespace === cluster && metadata.name === name,
  );
  if (!work) {
    if (desired === "suspended" || state !== "PreparingToStart") return leave(`It is in progress: ${state}.`);
    const rival = runningRival(cluster, snapshot.others);
    return rival
      ? { verdict: "wait", reason: waitingReason(rival), actions: [] }
      : creation(cluster, record, planned);
  }
  const isToSuspend = desired === "suspended";
  if (isToSuspend && releasesSlot(record) && feedbackOf(work)?.applied !== undefined)
    return leave("Its agent has returned: it keeps its slot.");
  const object = withSuspend(work, isToSuspend);
  if (!object) return leave(`Its ManifestWork is as recorded: ${state}, ${reason}.`);
  const why = isToSuspend ? "It is to pause; finished layers stay." : "It may continue.";
  return {
    verdict: isToSuspend ? "suspend" : "resume",
    reason: why,
    actions: [{ verb: "update", object, part: cluster, reason: why }],
  };
}
