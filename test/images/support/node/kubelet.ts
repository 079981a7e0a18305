import { isSameJson } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { runOf } from "#shared/domain/precache-model/work-identity.ts";
import { contentKeys } from "#shared/domain/precache-start/work/workload-contract.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { report } from "../../../../cli/simulation/managed-fleet.ts";
import type { JobReport } from "../../../../cli/simulation/reported-status.ts";
import type { Program } from "../network/lab.ts";
import type { Content, Running, WorkloadNode } from "./workload.ts";

/** The parts of a ManifestWork that a cluster acts on. */
type Wanted = Readonly<{ content: Content; isSuspended: boolean }>;

function wantedBy({ spec }: KubernetesObject): Wanted {
  const manifests: readonly KubernetesObject[] = Object(spec).workload.manifests;
  const job = manifests.find(({ kind }) => kind === "Job");
  const isContent = ({ kind, data }: KubernetesObject) =>
    kind === "ConfigMap" && contentKeys.every((key) => key in Object(data));
  return {
    content: Object(manifests.find(isContent)?.data),
    isSuspended: Object(job?.spec).suspend === true,
  };
}

type Suspension = Readonly<{ at: Date; images: readonly string[] }>;

/** On a busy machine a window may pass without a complete image; three in succession do not. */
function hasStopped(suspensions: readonly Suspension[]): boolean {
  const [last, ...before] = suspensions.slice(-4).reverse();
  return before.length === 3 && before.every(({ images }) => images.length === last?.images.length);
}

/** The record of a cluster. */
export type ClusterRecord = Readonly<{
  /** When its pod was started, and when the pod had ended because its Job was suspended. */
  started: readonly Date[];
  suspended: readonly Suspension[];
  /** The pods that ended on their own, with the workload's log. */
  finished: readonly Readonly<{ at: Date; log: string }>[];
}>;

/**
 * Stands in for a managed cluster's work agent, Job controller and kubelet until the signal aborts. A ManifestWork
 * whose Job is not suspended runs the workload on the node, a suspended one stops it; the progress that `api` received
 * is written to the ManifestWork's status. A workload that fails or makes no progress is reported to `onTrouble`.
 */
export function startCluster({
  hub,
  name,
  node,
  api,
  environment,
  signal,
  onTrouble,
}: Readonly<{
  hub: Hub;
  name: string;
  node: WorkloadNode;
  api: Program;
  environment: Readonly<Record<string, string>>;
  signal: AbortSignal;
  onTrouble: (error: unknown) => void;
}>): ClusterRecord & Readonly<{ ended: Promise<void> }> {
  const started: Date[] = [];
  const suspended: Suspension[] = [];
  const finished: { at: Date; log: string }[] = [];
  let pod: Readonly<{ running: Running; work: KubernetesObject }> | undefined;
  let isFinished = false;
  let lastReport: JobReport | undefined;

  const progress = (): Readonly<Record<string, string>> => {
    const patches = api.lines().map((line) => JSON.parse(line));
    const last = patches.findLast(({ method }) => method === "PATCH");
    return last ? JSON.parse(last.body).data : {};
  };
  const reportJob = async (work: KubernetesObject, job: JobReport["job"]) => {
    const run = runOf(work);
    const now = { job, progress: progress() };
    if (!run || isSameJson(now, lastReport)) return;
    lastReport = now;
    await report(hub, work, run, now);
  };

  async function start(work: KubernetesObject, content: Content): Promise<void> {
    const running = await node.start(content, environment);
    const own = { running, work };
    pod = own;
    started.push(new Date());
    await reportJob(work, { active: 1 });
    const end = async () => {
      const { code, log } = await running.ended;
      if (pod !== own) return; // it was stopped
      pod = undefined;
      isFinished = true;
      finished.push({ at: new Date(), log });
      if (code !== 0) onTrouble(new Error(`the workload on ${name} ended with ${code}:\n${log}`));
      await reportJob(
        work,
        code === 0
          ? { succeeded: 1, complete: "True" }
          : { failed: 1, failedStatus: "True", failedReason: "BackoffLimitExceeded" },
      );
    };
    end().catch(onTrouble);
  }

  async function stop(): Promise<void> {
    const running = pod?.running;
    pod = undefined;
    await running?.stop();
  }

  async function follow(): Promise<void> {
    for await (const change of hub.watch([kinds.ManifestWork], signal)) {
      if (change.verb === "synced" || change.object.metadata.namespace !== name) continue;
      const { content, isSuspended } = wantedBy(change.object);
      if (change.verb === "delete") await stop();
      else if (isFinished) continue;
      else if (!isSuspended && !pod) await start(change.object, content);
      else if (isSuspended && pod) {
        const { running } = pod;
        await stop();
        suspended.push({ at: new Date(), images: await node.images() });
        if (hasStopped(suspended))
          onTrouble(new Error(`the workload on ${name} brings no more images:\n${running.log()}`));
        await reportJob(change.object, { suspended: "True" });
      }
    }
  }

  // A work agent polls every few seconds.
  const poll = setInterval(() => {
    if (pod) reportJob(pod.work, { active: 1 }).catch(onTrouble);
  }, 2_000);
  signal.addEventListener("abort", () => clearInterval(poll));
  const ended = follow().finally(stop);
  return { started, suspended, finished, ended };
}
