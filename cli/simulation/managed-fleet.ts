import { setTimeout as sleep } from "node:timers/promises";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import {
  type CheckRun,
  checkRunOf,
  type Run,
  runOf,
  workLabels,
} from "#shared/domain/precache-model/work-identity.ts";
import { checkFeedbackOf, feedbackOf, runStateOf } from "#shared/domain/precache-progress/feedback.ts";
import { isSuspended } from "#shared/domain/precache-start/work/manifest-work.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import type { Fate, FateOf } from "./fates.ts";
import {
  checked,
  ended,
  type JobReport,
  running,
  suspended,
  withBytes,
  withReport,
} from "./reported-status.ts";

type SimulatedFleet = Readonly<{
  jobs: ReadonlyMap<string, readonly string[]>;
  /** When the last ManifestWork for a Job was seen, in milliseconds of `performance.now()`. Keys are clusters. */
  seen: ReadonlyMap<string, number>;
  reported: ReadonlyMap<string, number>;
  ended: Promise<void>;
}>;

/** Writes the status of a ManifestWork as a work agent does. Returns false if the ManifestWork no longer exists. */
export async function report(
  hub: Hub,
  work: KubernetesObject,
  run: Run | CheckRun,
  jobReport: JobReport,
): Promise<boolean> {
  const { name, namespace } = work.metadata;
  for (;;) {
    const present = await hub.get(kinds.ManifestWork, name, namespace);
    if (!present || present.metadata.uid !== work.metadata.uid) return false;
    try {
      await hub.updateStatus(withReport(present, run, jobReport));
      return true;
    } catch (error) {
      if (error instanceof HubError && error.code === "NotFound") return false;
      if (!(error instanceof HubError && error.code === "Conflict")) throw error;
    }
  }
}

function hasEnded(work: KubernetesObject): boolean {
  const feedback = feedbackOf(work) ?? checkFeedbackOf(work);
  const run = feedback && runStateOf(feedback);
  return run !== undefined && isFinalState(run.state);
}

/** Simulates managed clusters until the signal aborts. Their work agents report Jobs as the fates say. */
export function startFleet(
  hub: Hub,
  fateOf: FateOf,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): SimulatedFleet {
  const began = performance.now();
  const jobs = new Map<string, string[]>();
  const seen = new Map<string, number>();
  const reported = new Map<string, number>();
  const handled = new Set<string>();
  // A listener for `signal` in each of thousands of pauses would cost more than the simulation.
  const pause = async (ms: number): Promise<void> => {
    await sleep(ms, undefined, { ref: false });
    signal.throwIfAborted();
  };

  async function resumed(work: KubernetesObject, run: Run, latencyMs: number): Promise<boolean> {
    const { name, namespace } = work.metadata;
    for (let isReported = false; ; await pause(latencyMs)) {
      const present = await hub.get(kinds.ManifestWork, name, namespace);
      if (!present || present.metadata.uid !== work.metadata.uid) return false;
      if (!isSuspended(present)) return true;
      if (!isReported) isReported = await report(hub, work, run, suspended);
    }
  }

  async function runJob(work: KubernetesObject, run: Run, fate: Fate): Promise<void> {
    const { cluster, latencyMs, jobMs, offlineMs, reports } = fate;
    if (offlineMs === "never") return;
    await pause(latencyMs + Math.max(0, offlineMs - (performance.now() - began)));
    if (!(await resumed(work, run, latencyMs)) || !(await report(hub, work, run, withBytes(running(0)))))
      return;
    jobs.set(cluster, [...(jobs.get(cluster) ?? []), work.metadata.name]);
    for (let part = 1; part < reports; part++) {
      await pause(jobMs / reports);
      if (!(await report(hub, work, run, withBytes(running(part / reports))))) return;
    }
    await pause(jobMs / reports);
    const end = run.attempt > 1 ? "succeeds" : fate.end;
    if (await report(hub, work, run, withBytes(ended(end)))) reported.set(cluster, performance.now());
  }

  async function runCheck(work: KubernetesObject, run: CheckRun, fate: Fate): Promise<void> {
    if (fate.offlineMs === "never") return;
    await pause(fate.latencyMs);
    await report(hub, work, run, checked(0));
  }

  async function work(): Promise<void> {
    for await (const change of hub.watch(kinds.ManifestWork, signal, { withLabel: workLabels.cgu })) {
      if (change.verb === "synced" || change.verb === "delete") continue;
      const { object } = change;
      const { namespace = "", uid = "" } = object.metadata;
      const run = runOf(object);
      const check = checkRunOf(object);
      if (!(run || check) || handled.has(uid)) continue;
      handled.add(uid);
      const fate = hasEnded(object) ? undefined : await fateOf(namespace);
      if (!fate) continue;
      const failed = (error: unknown) => {
        if (!signal.aborted) onError(error);
      };
      if (run) {
        seen.set(namespace, performance.now());
        runJob(object, run, fate).catch(failed);
      } else if (check) runCheck(object, check, fate).catch(failed);
    }
  }

  return { jobs, seen, reported, ended: work() };
}
