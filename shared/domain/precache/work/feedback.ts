import { redact } from "../../credentials/redact.ts";
import { isRecord, type UnknownRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { isSuspended, jobFeedback } from "./manifest-work.ts";
import { type Run, runOf } from "./work-identity.ts";
import { progressKeys } from "./workload.ts";

/** One scalar that the work agent has read on the managed cluster. */
export type FeedbackValue = string | number | boolean;

/**
 * What a ManifestWork tells about its run, small enough to ride on an event: no read of the object is needed then.
 * `values` holds what the feedback rules name; one that the managed cluster does not have is absent.
 */
export type WorkFeedback = Readonly<{
  run: Run;
  /** When the ManifestWork was created, in RFC 3339. */
  created?: string;
  /** The agent has not seen the latest change yet: what it tells is about an earlier one. */
  isStale?: true;
  isDeleting?: true;
  /** The hub wants its Job suspended. */
  isHeld?: true;
  /** The condition Applied; absent while the agent has not come by. */
  applied?: "True" | "False";
  /** Why it could not be applied. */
  message?: string;
  values: Readonly<Record<string, FeedbackValue>>;
}>;

const longestText = 256;
const valueNames: ReadonlySet<string> = new Set([...Object.keys(jobFeedback), ...progressKeys]);

/** Counts and the statuses of conditions: most of what a fleet tells, and nothing that could hold a credential. */
const harmless = /^(?:[0-9]{1,15}|True|False|Unknown)$/;

/** A text from a managed cluster as it may be shown and stored: short, and without credentials. */
function tellable(text: string): string {
  if (harmless.test(text)) return text;
  const told = redact(text);
  return told.length > longestText ? `${told.slice(0, longestText - 1)}…` : told;
}

function listOf(value: unknown): readonly UnknownRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function conditionOf(holder: unknown, type: string): UnknownRecord | undefined {
  return isRecord(holder) ? listOf(holder.conditions).find((one) => one.type === type) : undefined;
}

/** `fieldValue` has its type beside it; anything but a scalar tells nothing. */
function scalarOf(fieldValue: unknown): FeedbackValue | undefined {
  if (!isRecord(fieldValue)) return undefined;
  const { integer, string, boolean } = fieldValue;
  if (typeof integer === "number") return integer;
  if (typeof string === "string") return tellable(string);
  return typeof boolean === "boolean" ? boolean : undefined;
}

function manifestsOf({ status }: KubernetesObject): readonly UnknownRecord[] {
  const resourceStatus = isRecord(status) ? status.resourceStatus : undefined;
  return isRecord(resourceStatus) ? listOf(resourceStatus.manifests) : [];
}

/** The feedback of the Job and of the progress ConfigMap: found by what they are, never by their place. */
function valuesOf(manifests: readonly UnknownRecord[]): Readonly<Record<string, FeedbackValue>> {
  const told = manifests.flatMap(({ resourceMeta, statusFeedback }) =>
    isRecord(resourceMeta) && ["Job", "ConfigMap"].includes(String(resourceMeta.kind))
      ? listOf(isRecord(statusFeedback) ? statusFeedback.values : undefined)
      : [],
  );
  const named = told.flatMap(({ name, fieldValue }): [string, FeedbackValue][] => {
    const value = scalarOf(fieldValue);
    return typeof name === "string" && valueNames.has(name) && value !== undefined ? [[name, value]] : [];
  });
  return Object.fromEntries(named);
}

/** The first manifest that could not be applied, with what the managed cluster answered. */
function refusalOf(manifests: readonly UnknownRecord[]): string | undefined {
  for (const manifest of manifests) {
    const applied = conditionOf(manifest, "Applied");
    if (applied?.status !== "False" || !isRecord(manifest.resourceMeta)) continue;
    const { kind, name } = manifest.resourceMeta;
    return tellable(`${kind}/${name}: ${applied.message ?? applied.reason ?? "not applied"}`);
  }
  return undefined;
}

/** Reads a ManifestWork of pre-caching; undefined for any other. Never throws, whatever its status holds. */
export function feedbackOf(work: KubernetesObject): WorkFeedback | undefined {
  const run = runOf(work);
  if (!run) return undefined;
  const { creationTimestamp, generation = 1 } = work.metadata;
  const manifests = manifestsOf(work);
  const applied = conditionOf(work.status, "Applied");
  const status = applied?.status === "True" || applied?.status === "False" ? applied.status : undefined;
  const observed = applied?.observedGeneration;
  const message =
    status === "False" ? (refusalOf(manifests) ?? tellable(String(applied?.message ?? ""))) : "";
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

function textIn(fields: UnknownRecord, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? tellable(value) : undefined;
}

/**
 * Reads the feedback that an event carries; undefined when it has none, or one of another form: the objects
 * themselves are read then. Never throws.
 */
export function readFeedback(carried: unknown): WorkFeedback | undefined {
  if (!isRecord(carried) || !isRecord(carried.run) || !isRecord(carried.run.cgu)) return undefined;
  const { run, values } = carried;
  const namespace = textIn(carried.run.cgu, "namespace");
  const name = textIn(carried.run.cgu, "name");
  const revision = textIn(run, "revision");
  const attempt = Number(run.attempt);
  if (!namespace || !name || !revision || !Number.isInteger(attempt) || attempt < 1) return undefined;
  const created = textIn(carried, "created");
  const message = textIn(carried, "message");
  const applied = carried.applied === "True" || carried.applied === "False" ? carried.applied : undefined;
  const scalars = Object.entries(isRecord(values) ? values : {}).flatMap(
    ([key, value]): [string, FeedbackValue][] => {
      if (!valueNames.has(key)) return [];
      if (typeof value === "string") return [[key, tellable(value)]];
      return typeof value === "number" || typeof value === "boolean" ? [[key, value]] : [];
    },
  );
  return {
    run: { cgu: { namespace, name }, revision, attempt },
    ...(created ? { created } : {}),
    ...(carried.isStale === true ? { isStale: true } : {}),
    ...(carried.isDeleting === true ? { isDeleting: true } : {}),
    ...(carried.isHeld === true ? { isHeld: true } : {}),
    ...(applied ? { applied } : {}),
    ...(message ? { message } : {}),
    values: Object.fromEntries(scalars),
  };
}
