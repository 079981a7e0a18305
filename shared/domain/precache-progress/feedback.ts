import { fieldsOf, isRecord, objectsOf, type UnknownRecord } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type CheckRun, checkRunOf, type Run, runOf } from "../precache-model/work-identity.ts";
import { appliedStatus, isSuspended, jobFeedback } from "../precache-start/work/manifest-work.ts";
import { progressKeys } from "../precache-start/work/workload-contract.ts";
import { redactForeign } from "../text/redact.ts";

/** A number or a text that the work agent has read on the managed cluster. */
export type FeedbackValue = string | number;

/**
 * The feedback of a run's ManifestWork, small enough for an event, so that the object need not be read. `values`
 * holds the values of the feedback rules; a value that does not exist on the managed cluster is absent.
 */
export type WorkFeedback<OneRun = Run> = Readonly<{
  run: OneRun;
  /** When the ManifestWork was created, in RFC 3339. */
  created?: string;
  /** The agent has not seen the latest change yet: the feedback is about an earlier one. */
  isStale?: true;
  isDeleting?: true;
  /** The hub has suspended its Job. */
  isHeld?: true;
  /** The condition Applied; absent until the agent sets it. */
  applied?: "True" | "False";
  /** Why it could not be applied. */
  message?: string;
  values: Readonly<Record<string, FeedbackValue>>;
}>;

const maxTextLength = 256;
const valueNames: ReadonlySet<string> = new Set([...Object.keys(jobFeedback), ...progressKeys]);

/** Counts and condition statuses: most of the feedback, and never a credential. */
const harmless = /^(?:[0-9]{1,15}|True|False|Unknown)$/;

/** Text from a managed cluster may hold credentials, and is stored and displayed. */
function safeText(text: string): string {
  if (harmless.test(text)) return text;
  const redacted = redactForeign(text);
  return redacted.length > maxTextLength ? `${redacted.slice(0, maxTextLength - 1)}…` : redacted;
}

function conditionOf(holder: unknown, type: string): UnknownRecord | undefined {
  return objectsOf(fieldsOf(holder).conditions).find((one) => one.type === type);
}

/** `fieldValue` includes its type; anything but a number and a text is ignored. */
function scalarOf(fieldValue: unknown): FeedbackValue | undefined {
  if (!isRecord(fieldValue)) return undefined;
  const { integer, string } = fieldValue;
  if (typeof integer === "number") return integer;
  return typeof string === "string" ? safeText(string) : undefined;
}

function manifestsOf({ status }: KubernetesObject): readonly UnknownRecord[] {
  return objectsOf(fieldsOf(fieldsOf(status).resourceStatus).manifests);
}

/** Finds the Job and the progress ConfigMap by kind, never by position. */
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

/** Returns the first manifest that could not be applied, with the error from the managed cluster. */
function refusalOf(manifests: readonly UnknownRecord[]): string | undefined {
  for (const manifest of manifests) {
    const applied = conditionOf(manifest, "Applied");
    if (applied?.status !== "False" || !isRecord(manifest.resourceMeta)) continue;
    const { kind, name } = manifest.resourceMeta;
    return safeText(`${kind}/${name}: ${applied.message ?? applied.reason ?? "not applied"}`);
  }
  return undefined;
}

/** Returns the feedback of a pre-caching ManifestWork; undefined for any other. Never throws. */
export function feedbackOf(work: KubernetesObject): WorkFeedback | undefined {
  const run = runOf(work);
  return run && feedbackAbout(run, work);
}

/** Returns the feedback of the ManifestWork of a check; undefined for any other. Never throws. */
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
