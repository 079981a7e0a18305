import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { CheckRun, Run } from "#shared/domain/precache-model/work-identity.ts";
import { checkedReason } from "#shared/domain/precache-start/work/workload-contract.ts";
import { jobName, progressName } from "#shared/domain/precache-start/work/workload-objects.ts";

/** What a work agent reports about a simulated Job. */
export type JobReport = Readonly<{
  job: Readonly<Record<string, string | number>>;
  progress: Readonly<Record<string, string>>;
}>;

const imagesTotal = 190;
const bytesPerImage = 100_000_000;

/** Adds bytes to a report. A real workload reports bytes once it has read the sizes of images from registries. */
export function withBytes({ job, progress }: JobReport): JobReport {
  const { imagesDone, imagesTotal: total } = progress;
  if (imagesDone === undefined) return { job, progress };
  const bytes = (images: string | undefined) => String(Number(images) * bytesPerImage);
  return { job, progress: { ...progress, bytesDone: bytes(imagesDone), bytesTotal: bytes(total) } };
}

/** Returns the report of a running Job. `part` is the part of the images that it has pulled, from 0 to 1. */
export function running(part: number): JobReport {
  const imagesDone = String(Math.floor(imagesTotal * part));
  return { job: { active: 1 }, progress: { imagesDone, imagesTotal: String(imagesTotal) } };
}

/** The report of a suspended Job. */
export const suspended: JobReport = { job: { suspended: "True" }, progress: {} };

/** Returns the report of a Job that has ended. */
export function ended(end: "succeeds" | "fails"): JobReport {
  const all = String(imagesTotal);
  if (end === "succeeds")
    return { job: { succeeded: 1, complete: "True" }, progress: { imagesDone: all, imagesTotal: all } };
  return {
    job: { failedStatus: "True", failedReason: "BackoffLimitExceeded" },
    progress: {
      imagesDone: "12",
      imagesTotal: all,
      reason: "Unauthorized",
      image: "registry.hub.example.com:8443/release@sha256:0c7e",
      detail: "unauthorized: authentication required",
    },
  };
}

function valuesOf(feedback: Readonly<Record<string, string | number>>) {
  return Object.entries(feedback).map(([name, value]) => ({
    name,
    fieldValue:
      typeof value === "number" ? { type: "Integer", integer: value } : { type: "String", string: value },
  }));
}

/** Returns the report of a finished check that found `missing` images missing. */
export function checked(missing: number): JobReport {
  const names = Array.from({ length: missing }, (_, index) => `quay.io/app/part${index}@sha256:0c7e`);
  return {
    job: { succeeded: 1, complete: "True" },
    progress: {
      imagesDone: String(imagesTotal - missing),
      imagesTotal: String(imagesTotal),
      reason: checkedReason,
      image: "",
      detail: names.slice(0, 2).join(", "),
    },
  };
}

/** Returns the ManifestWork with the status that a work agent writes for a report. */
export function withReport(
  work: KubernetesObject,
  run: Run | CheckRun,
  { job, progress }: JobReport,
): KubernetesObject {
  const observedGeneration = work.metadata.generation ?? 1;
  const lastTransitionTime = work.metadata.creationTimestamp ?? "2026-03-01T02:00:00Z";
  const isApplied = { type: "Applied", status: "True", message: "", lastTransitionTime };
  const applied = { ...isApplied, reason: "AppliedManifestWorkComplete", observedGeneration };
  const manifest = (
    kind: string,
    name: string,
    ordinal: number,
    feedback: Readonly<Record<string, string | number>>,
  ) => ({
    resourceMeta: { ordinal, kind, name },
    conditions: [{ ...isApplied, reason: "AppliedManifestComplete" }],
    statusFeedback: { values: valuesOf(feedback) },
  });
  return {
    ...work,
    status: {
      conditions: [applied],
      resourceStatus: {
        manifests: [
          manifest("ConfigMap", progressName(run), 0, progress),
          manifest("Job", jobName(run), 1, job),
        ],
      },
    },
  };
}
