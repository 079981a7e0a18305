import { isFinalState, isRunningState } from "./cluster-state.ts";

/** What is known of the last run on a cluster: the revision it runs or ran with, and how far it is. */
export type LastRun = Readonly<{ revision: string | undefined; state: string | undefined }>;

/**
 * What a plan means for one cluster.
 * `start`: it gets its first run, or one of another revision than the one that ended there.
 * `replace`: the run under way is of another revision; it is stopped and the new one takes its place. Images that
 * are complete stay in the cluster's store, so what is lost is at most a layer in flight.
 * `keep`: the run under way, or the one that ended, is of this revision.
 * `hold`: there is no valid plan; what runs is finished, and nothing new starts.
 */
export type RevisionStep = "start" | "replace" | "keep" | "hold";

/** `wanted` is the revision of the plan, undefined while there is no valid plan. Nothing is frozen for ever. */
export function revisionStep({ revision, state }: LastRun, wanted: string | undefined): RevisionStep {
  if (wanted === undefined) return "hold";
  if (revision === undefined || !(isRunningState(state) || isFinalState(state))) return "start";
  if (revision === wanted) return "keep";
  return isRunningState(state) ? "replace" : "start";
}
