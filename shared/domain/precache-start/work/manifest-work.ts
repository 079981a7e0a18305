import { conditionOf } from "../../kubernetes/conditions.ts";
import { fieldsOf, isRecord } from "../../kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import {
  type CheckRun,
  cguAnnotation,
  cguLabels,
  type Run,
  workLabels,
  workName,
} from "../../precache-model/work-identity.ts";
import { progressKeys } from "./workload-contract.ts";
import { jobName, managedObjects, namespace, progressName, type WorkInput } from "./workload-objects.ts";

/** A finished ManifestWork that hubrelay has not removed is deleted after this time, if the hub's API supports it. */
const ttlSecondsAfterFinished = 86_400;

const condition = (type: string, field: "status" | "reason") =>
  `.status.conditions[?(@.type=="${type}")].${field}`;

/** Fields of the Job's status that the cluster's agent reports to the hub if they are present. */
export const jobFeedback = {
  active: ".status.active",
  succeeded: ".status.succeeded",
  complete: condition("Complete", "status"),
  failedStatus: condition("Failed", "status"),
  failedReason: condition("Failed", "reason"),
  suspended: condition("Suspended", "status"),
} as const;

function pathRules(paths: Readonly<Record<string, string>>) {
  const jsonPaths = Object.entries(paths).map(([name, path]) => ({ name, path }));
  return [{ type: "JSONPaths", jsonPaths }];
}

function manifestConfigs(run: Run | CheckRun) {
  return [
    {
      resourceIdentifier: { group: "batch", resource: "jobs", namespace, name: jobName(run) },
      // A plain update would also write fields that the API server has set, and be refused. Server-side apply writes
      // only the fields of this manifest, so that `spec.suspend` can change later.
      updateStrategy: { type: "ServerSideApply" },
      feedbackRules: pathRules(jobFeedback),
      // Without this rule, a finished Job would be applied again after its removal, and run a second time.
      conditionRules: [{ condition: "Complete", type: "WellKnownConditions" }],
    },
    {
      resourceIdentifier: { group: "", resource: "configmaps", namespace, name: progressName(run) },
      // The agent must not overwrite the progress that the workload writes here.
      updateStrategy: { type: "CreateOnly" },
      feedbackRules: pathRules(Object.fromEntries(progressKeys.map((key) => [key, `.data.${key}`]))),
    },
  ];
}

const numberLabel = (run: Run | CheckRun) =>
  "check" in run ? { [workLabels.check]: String(run.check) } : { [workLabels.attempt]: String(run.attempt) };

/** Returns the ManifestWork of one run, or of one check, on one managed cluster. */
export function manifestWork(cluster: string, input: WorkInput): KubernetesObject {
  const { run } = input;
  const { apiVersion, kind } = kinds.ManifestWork;
  return {
    apiVersion,
    kind,
    metadata: {
      namespace: cluster,
      name: workName(run),
      labels: {
        ...cguLabels(run.cgu),
        [workLabels.revision]: run.revision,
        ...numberLabel(run),
      },
      annotations: { [cguAnnotation]: `${run.cgu.namespace}/${run.cgu.name}` },
    },
    spec: {
      workload: { manifests: managedObjects(input) },
      manifestConfigs: manifestConfigs(run),
      deleteOption: { propagationPolicy: "Foreground", ttlSecondsAfterFinished },
    },
  };
}

/** Returns the status of a ManifestWork's condition Applied; undefined until the cluster's agent sets it. */
export function appliedStatus(work: KubernetesObject): "True" | "False" | undefined {
  const status = conditionOf(work, "Applied")?.status;
  return status === "True" || status === "False" ? status : undefined;
}

/** Reports whether the Job in a ManifestWork is suspended. */
export function isSuspended(work: KubernetesObject): boolean {
  return withSuspend(work, false) !== undefined;
}

/** Returns the ManifestWork with its Job suspended or resumed; undefined if nothing changes or there is no Job. */
export function withSuspend(work: KubernetesObject, suspend: boolean): KubernetesObject | undefined {
  const { spec } = work;
  const manifests: unknown = fieldsOf(fieldsOf(spec).workload).manifests;
  if (!isRecord(spec) || !isRecord(spec.workload) || !Array.isArray(manifests)) return undefined;
  const isJob = (manifest: unknown) => fieldsOf(manifest).kind === "Job";
  const job: unknown = manifests.find(isJob);
  if (!isRecord(job) || !isRecord(job.spec) || (job.spec.suspend ?? false) === suspend) return undefined;
  const changed = { ...job, spec: { ...job.spec, suspend } };
  return {
    ...work,
    spec: {
      ...spec,
      workload: {
        ...spec.workload,
        manifests: manifests.map((one: unknown) => (isJob(one) ? changed : one)),
      },
    },
  };
}
