import { type ClusterState, isFinalState } from "../model/cluster-state.ts";
import type { WorkFeedback } from "./feedback.ts";

/** How far a run is, and why, in words for a person. */
export type RunState = Readonly<{ state: ClusterState; reason: string; message: string }>;

const told = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Numbers come as integers from a Job and as texts from a ConfigMap. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function isTrue(value: unknown): boolean {
  return value === "True" || value === true;
}

/** What the workload said, or what the Job says where it was killed before it could. */
function failureMessage({ values }: WorkFeedback, otherwise: string): string {
  const said = [told(values.image), told(values.detail)].filter(Boolean).join(": ");
  return said || (told(values.reason) ? `The workload ended with ${values.reason}.` : otherwise);
}

/** How a Job ended that failed within its deadline. */
function failureOf(feedback: WorkFeedback): RunState {
  const { reason, failedReason } = feedback.values;
  const ofJob = told(failedReason) ?? "JobFailed";
  // The last report of a workload that could not report its end: the kernel kills it at its limit of memory.
  if (reason === "Pulling")
    return {
      state: "UnrecoverableError",
      reason: ofJob,
      message: "The workload was killed while it pulled, perhaps because it reached its memory limit.",
    };
  return {
    state: "UnrecoverableError",
    reason: told(reason) ?? ofJob,
    message: failureMessage(feedback, `The Job failed: ${told(failedReason) ?? "no reason given"}.`),
  };
}

/** A Job past its deadline is interrupted: what its workload says of that adds nothing, what it said before may. */
function timeoutOf(feedback: WorkFeedback): RunState {
  const { reason } = feedback.values;
  const deadline = "The Job reached its deadline; what was pulled stays.";
  const isSilent = reason === "Pulling" || reason === "Interrupted";
  return {
    state: "PrecacheTimeout",
    reason: "DeadlineExceeded",
    message: isSilent ? deadline : failureMessage(feedback, deadline),
  };
}

/**
 * The state that a ManifestWork's feedback stands for, with TALM's names: active wins over succeeded, succeeded over
 * failed, since a Job that goes on is not done. A suspended Job is no failure: its finished layers stay, and it goes
 * on. Undefined when the feedback says nothing yet about the run as it is now.
 */
export function runStateOf(feedback: WorkFeedback): RunState | undefined {
  const { applied, values, isStale, isDeleting, isHeld } = feedback;
  const { active, succeeded, complete, failedStatus, failedReason, suspended } = values;
  if ((countOf(active) ?? 0) > 0 && !isDeleting)
    return { state: "Active", reason: told(values.reason) ?? "Pulling", message: "The Job runs." };
  if (isTrue(complete) || (countOf(succeeded) ?? 0) > 0)
    return { state: "Succeeded", reason: "Completed", message: "Every image is on the cluster." };
  if (isTrue(failedStatus))
    return failedReason === "DeadlineExceeded" ? timeoutOf(feedback) : failureOf(feedback);
  if (isDeleting)
    return { state: "PreparingToStart", reason: "Removed", message: "Somebody removed it; it starts again." };
  if (isStale) return undefined;
  if (isTrue(suspended) || (isHeld && applied === "True"))
    return {
      state: "Starting",
      reason: "Suspended",
      message: "The Job is suspended; what was pulled stays.",
    };
  if (applied === "False")
    return {
      state: "Starting",
      reason: "NotApplied",
      message: feedback.message ?? "The cluster refuses an object; its agent tries again.",
    };
  return applied === "True"
    ? { state: "Starting", reason: "Applied", message: "The Job is created and has not started." }
    : { state: "Starting", reason: "WaitsForAgent", message: "The cluster's agent has not come by yet." };
}

/** True when the run has come to its end on the managed cluster. */
export function isFinished(feedback: WorkFeedback): boolean {
  return isFinalState(runStateOf(feedback)?.state);
}
