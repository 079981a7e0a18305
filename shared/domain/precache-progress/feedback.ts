import { fieldsOf, isRecord, objectsOf, textOf, type UnknownRecord } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { countOf } from "../precache-model/cluster-record.ts";
import {
  type ClusterState,
  isFinalState,
  isIncomplete,
  jobReasonOf,
  type RunReason,
  workloadReasonOf,
} from "../precache-model/cluster-state.ts";
import { type CheckRun, checkRunOf, type Run, runOf } from "../precache-model/work-identity.ts";
import { appliedStatus, isSuspended, jobFeedback } from "../precache-start/work/manifest-work.ts";
import { progressKeys } from "../precache-start/work/workload-contract.ts";
import { redactForeign, sentence } from "../text/redact.ts";

/** A number or text that the work agent read from an object on the managed cluster. */
export type FeedbackValue = string | number;

/** What a ManifestWork's status reports about its run. `values` lacks fields that are absent on the managed cluster. */
export type WorkFeedback<OneRun = Run> = Readonly<{
  run: OneRun;
  /** The creation time of the ManifestWork in RFC 3339. */
  created?: string;
  /** Set if the feedback is about an older version of the ManifestWork than the hub's. */
  isStale?: true;
  isDeleting?: true;
  /** Set if the hub has suspended the Job. */
  isHeld?: true;
  /** The status of the condition Applied; absent until the agent sets this condition. */
  applied?: "True" | "False";
  /** Why the ManifestWork could not be applied; absent unless `applied` is False. */
  message?: string;
  values: Readonly<Record<string, FeedbackValue>>;
}>;

const maxTextLength = 256;
const valueNames: ReadonlySet<string> = new Set([...Object.keys(jobFeedback), ...progressKeys]);

/** Matches counts and statuses, which cannot contain a credential. */
const harmless = /^(?:[0-9]{1,15}|True|False|Unknown)$/;

/** The text of a cluster is stored and shown, so possible credentials are removed from it. */
function safeText(text: string): string {
  if (harmless.test(text)) return text;
  const redacted = redactForeign(text);
  return redacted.length > maxTextLength ? `${redacted.slice(0, maxTextLength - 1)}…` : redacted;
}

function conditionOf(holder: unknown, type: string): UnknownRecord | undefined {
  return objectsOf(fieldsOf(holder).conditions).find((one) => one.type === type);
}

function scalarOf(fieldValue: unknown): FeedbackValue | undefined {
  if (!isRecord(fieldValue)) return undefined;
  const { integer, string } = fieldValue;
  if (typeof integer === "number") return integer;
  return typeof string === "string" ? safeText(string) : undefined;
}

function manifestsOf({ status }: KubernetesObject): readonly UnknownRecord[] {
  return objectsOf(fieldsOf(fieldsOf(status).resourceStatus).manifests);
}

/** Returns the reported values. Manifests are found by kind, because their positions may change. */
function valuesOf(manifests: readonly UnknownRecord[]): Readonly<Record<string, FeedbackValue>> {
  const reported = manifests.flatMap(({ resourceMeta, statusFeedback }) =>
    isRecord(resourceMeta) && ["Job", "ConfigMap"].includes(String(resourceMeta.kind))
      ? objectsOf(fieldsOf(statusFeedback).values)
      : [],
  );
  const named = reported.flatMap(({ name, fieldValue }): [string, FeedbackValue][] => {
    const value = scalarOf(fieldValue);
    return typeof name === "string" && valueNames.has(name) && value !== undefined ? [[name, value]] : [];
  });
  return Object.fromEntries(named);
}

function refusalOf(manifests: readonly UnknownRecord[]): string | undefined {
  for (const manifest of manifests) {
    const applied = conditionOf(manifest, "Applied");
    if (applied?.status !== "False" || !isRecord(manifest.resourceMeta)) continue;
    const { kind, name } = manifest.resourceMeta;
    return safeText(`${kind}/${name}: ${applied.message ?? applied.reason ?? "not applied"}`);
  }
  return undefined;
}

/** Returns the feedback of a run's ManifestWork; undefined for any other ManifestWork. Never throws. */
export function feedbackOf(work: KubernetesObject): WorkFeedback | undefined {
  const run = runOf(work);
  return run && feedbackAbout(run, work);
}

/** Returns the feedback of a check's ManifestWork; undefined for any other ManifestWork. Never throws. */
export function checkFeedbackOf(work: KubernetesObject): WorkFeedback<CheckRun> | undefined {
  const run = checkRunOf(work);
  return run && feedbackAbout(run, work);
}

function feedbackAbout<OneRun>(run: OneRun, work: KubernetesObject): WorkFeedback<OneRun> {
  const { creationTimestamp, generation = 1 } = work.metadata;
  const manifests = manifestsOf(work);
  const applied = conditionOf(work.status, "Applied");
  const status = appliedStatus(work);
  const observed = applied?.observedGeneration;
  const message =
    status === "False" ? (refusalOf(manifests) ?? safeText(String(applied?.message ?? ""))) : "";
  return {
    run,
    ...(creationTimestamp ? { created: creationTimestamp } : {}),
    ...(typeof observed === "number" && observed < generation ? { isStale: true } : {}),
    ...("deletionTimestamp" in work.metadata ? { isDeleting: true } : {}),
    ...(isSuspended(work) ? { isHeld: true } : {}),
    ...(status ? { applied: status } : {}),
    ...(message ? { message } : {}),
    values: valuesOf(manifests),
  };
}

type AnyFeedback = Omit<WorkFeedback, "run">;

/** A run's state, with a reason and a message. */
export type RunState = Readonly<{ state: ClusterState; reason: RunReason; message: string }>;

const runState = (state: ClusterState, reason: RunReason, message: string): RunState => ({
  state,
  reason,
  message,
});

function failureMessage({ values }: AnyFeedback, otherwise: string): string {
  const reported = [textOf(values.image), textOf(values.detail)].filter(Boolean).join(": ");
  return (
    reported || (textOf(values.reason) ? sentence`The workload ended with ${values.reason}.` : otherwise)
  );
}

function failureOf(feedback: AnyFeedback): RunState {
  const { reason, failedReason } = feedback.values;
  const ofJob = jobReasonOf(failedReason) ?? "JobFailed";
  // A killed workload, for instance at its memory limit, cannot report its end.
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
 * Returns a run's state, as TALM names it; undefined if the feedback is stale and says nothing about the run. An
 * active Job counts as running even with succeeded or failed pods; otherwise success outweighs failure.
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

/** Reports whether the run has ended on the managed cluster. */
export function isFinished(feedback: AnyFeedback): boolean {
  return isFinalState(runStateOf(feedback)?.state);
}
