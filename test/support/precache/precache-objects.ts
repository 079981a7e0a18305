import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { CheckRun, Run } from "#shared/domain/precache-model/work-identity.ts";
import type { FeedbackValue } from "#shared/domain/precache-progress/feedback.ts";
import { manifestWork } from "#shared/domain/precache-start/work/manifest-work.ts";
import { jobName, progressName } from "#shared/domain/precache-start/work/workload-objects.ts";

export const release = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;
export const aRun: Run = {
  cgu: { namespace: "default", name: "upgrade" },
  revision: "7f3a9c0d1e",
  attempt: 1,
};

/** A check of the same content, on 4 March at one o'clock. */
export const aCheckRun: CheckRun = {
  cgu: aRun.cgu,
  revision: aRun.revision,
  check: Date.parse("2026-03-04T01:00:00Z") / 1000,
};

/** The ManifestWork of a run or a check as the hub returns it. */
export function aWork(cluster = "sno1", run: Run | CheckRun = aRun): KubernetesObject {
  const input = { run, content: { platformImage: release }, image: "quay.io/hubrelay/precache:v1" };
  const work = manifestWork(cluster, { ...input, timeoutMinutes: 240 });
  const created = { uid: `uid-of-${cluster}`, resourceVersion: "10", generation: 1 };
  return { ...work, metadata: { ...work.metadata, ...created, creationTimestamp: "2026-03-01T02:00:00Z" } };
}

function feedbackValues(values: Readonly<Record<string, FeedbackValue>>) {
  return Object.entries(values).map(([name, value]) => ({
    name,
    fieldValue:
      typeof value === "number" ? { type: "Integer", integer: value } : { type: "String", string: value },
  }));
}

/** The work with the status that an agent writes: the Job's feedback, the workload's progress, and Applied. */
export function reported(
  work: KubernetesObject,
  {
    job = {},
    progress = {},
    applied = "True",
    message = "",
    observedGeneration = 1,
  }: Readonly<{
    job?: Readonly<Record<string, FeedbackValue>>;
    progress?: Readonly<Record<string, string>>;
    applied?: "True" | "False";
    message?: string;
    observedGeneration?: number;
  }>,
  run: Run | CheckRun = aRun,
): KubernetesObject {
  const { plural } = kinds.ManifestWork;
  const condition = { type: "Applied", status: applied, observedGeneration, reason: plural, message };
  return {
    ...work,
    status: {
      conditions: [condition],
      resourceStatus: {
        manifests: [
          {
            resourceMeta: { ordinal: 8, group: "", kind: "ConfigMap", name: progressName(run) },
            conditions: [],
            statusFeedback: { values: feedbackValues(progress) },
          },
          {
            resourceMeta: { ordinal: 9, group: "batch", kind: "Job", name: jobName(run) },
            conditions: [{ type: "Applied", status: applied, message }],
            statusFeedback: { values: feedbackValues(job) },
          },
        ],
      },
    },
  };
}
