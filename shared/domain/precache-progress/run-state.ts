import { textOf } from "../kubernetes/json/values.ts";
import { countOf } from "../precache-model/cluster-record.ts";
import { type ClusterState, isFinalState } from "../precache-model/cluster-state.ts";
import { isIncomplete, jobReasonOf, type RunReason, workloadReasonOf } from "../precache-model/run-reason.ts";
import { sentence } from "../text/redact.ts";
import type { WorkFeedback } from "./feedback.ts";

/** The feedback of a run or a check. */
type AnyFeedback = Omit<WorkFeedback, "run">;

/** The state of a run, with its reason and a message. */
export type RunState = Readonly<{ state: ClusterState; reason: RunReason; message: string }>;

const runState = (state: ClusterState, reason: RunReason, message: string): RunState => ({
  state,
  reason,
  message,
});

/** Returns the workload's message, or that of the Job if the workload was killed before it could report. */
function failureMessage({ values }: AnyFeedback, otherwise: string): string {
  const reported = [textOf(values.image), textOf(values.detail)].filter(Boolean).join(": ");
  return (
    reported || (textOf(values.reason) ? sentence`The workload ended with ${values.reason}.` : otherwise)
  );
}

function failureOf(feedback: AnyFeedback): RunState {
  const { reason, failedReason } = feedback.values;
  const ofJob = jobReasonOf(failedReason) ?? "JobFailed";
  // A workload that was killed, for instance by the kernel at its memory limit, reports no end.
  if (reason === "Pulling")
    return runState(
      "UnrecoverableError",
      ofJob,
      "The workload was killed while it pulled, perhaps because it reached its memory limit.",
    );
  return runState(
    "UnrecoverableError",
    workloadReasonOf(reason) ?? ofJob,
    failureMessage(feedback, sentence`The Job failed: ${textOf(failedReason) ?? "no reason given"}.`),
  );
}

function successOf({ values }: AnyFeedback): RunState {
  const state = "Succeeded";
  const reason = workloadReasonOf(values.reason) ?? "Completed";
  return isIncomplete({ state, reason })
    ? { state, reason, message: textOf(values.detail) ?? "No index has some of the packages." }
    : { state, reason: "Completed", message: "Every image is on the cluster." };
}

/** A Job past its deadline is interrupted: the workload's report about that adds nothing, an earlier one may. */
function timeoutOf(feedback: AnyFeedback): RunState {
  const { reason } = feedback.values;
  const deadline = "The Job reached its deadline; what was pulled stays.";
  const isSilent = reason === "Pulling" || reason === "Interrupted";
  return runState(
    "PrecacheTimeout",
    "DeadlineExceeded",
    isSilent ? deadline : failureMessage(feedback, deadline),
  );
}

/**
 * Returns the state of a ManifestWork's feedback, with TALM's names: active wins over succeeded, succeeded over
 * failed, since a Job that continues is not done. A suspended Job has not failed: its finished layers stay, and it
 * continues. Undefined when the feedback says nothing yet about the current run.
 */
export function runStateOf(feedback: AnyFeedback): RunState | undefined {
  const { applied, values, isStale, isDeleting, isHeld } = feedback;
  const { active, succeeded, complete, failedStatus, failedReason, suspended } = values;
  if ((countOf(active) ?? 0) > 0 && !isDeleting)
    return runState("Active", workloadReasonOf(values.reason) ?? "Pulling", "The Job runs.");
  if (complete === "True" || (countOf(succeeded) ?? 0) > 0) return successOf(feedback);
  if (failedStatus === "True")
    return failedReason === "DeadlineExceeded" ? timeoutOf(feedback) : failureOf(feedback);
  if (isDeleting) return runState("PreparingToStart", "Removed", "It was removed; it starts again.");
  if (isStale) return undefined;
  if (suspended === "True" || (isHeld && applied === "True"))
    return runState("Starting", "Suspended", "The Job is suspended; what was pulled stays.");
  if (applied === "False")
    return runState(
      "Starting",
      "NotApplied",
      feedback.message ?? "The cluster refuses an object; its agent tries again.",
    );
  return applied === "True"
    ? runState("Starting", "Applied", "The Job is created and has not started.")
    : runState("Starting", "WaitsForAgent", "The cluster's agent has not applied it yet.");
}

/** True when the run has ended on the managed cluster. */
export function isFinished(feedback: AnyFeedback): boolean {
  return isFinalState(runStateOf(feedback)?.state);
}
