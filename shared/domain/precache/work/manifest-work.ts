import { isRecord } from "../../json/values.ts";
import { kinds } from "../../kubernetes/kinds.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { jobName, managedObjects, namespace, progressName, type WorkInput } from "./managed-objects.ts";
import { cguAnnotation, cguLabels, type Run, workLabels, workName } from "./work-identity.ts";
import { progressKeys } from "./workload.ts";

/** A finished run that hubrelay did not remove goes by itself after a day, where the hub's API knows how. */
const ttlSecondsAfterFinished = 86_400;

const condition = (type: string, field: "status" | "reason") =>
  `.status.conditions[?(@.type=="${type}")].${field}`;

/** What is read back of the Job, by name. A field that is not there gives no value, which is no error. */
export const jobFeedback = {
  active: ".status.active",
  succeeded: ".status.succeeded",
  failed: ".status.failed",
  complete: condition("Complete", "status"),
  failedStatus: condition("Failed", "status"),
  failedReason: condition("Failed", "reason"),
  suspended: condition("Suspended", "status"),
  startTime: ".status.startTime",
  completionTime: ".status.completionTime",
} as const;

function pathRules(paths: Readonly<Record<string, string>>) {
  const jsonPaths = Object.entries(paths).map(([name, path]) => ({ name, path }));
  return [{ type: "JSONPaths", jsonPaths }];
}

/** How the work agent treats the Job and the ConfigMap of the progress; the other objects are simply applied. */
function manifestConfigs(run: Run) {
  return [
    {
      resourceIdentifier: { group: "batch", resource: "jobs", namespace, name: jobName(run) },
      // A plain update writes back what the API server has defaulted and is refused; this touches our fields alone,
      // and `spec.suspend` may change later.
      updateStrategy: { type: "ServerSideApply" },
      feedbackRules: pathRules(jobFeedback),
      // A finished Job is not applied again, so one that somebody removed does not run a second time.
      conditionRules: [{ condition: "Complete", type: "WellKnownConditions" }],
    },
    {
      resourceIdentifier: { group: "", resource: "configmaps", namespace, name: progressName(run) },
      // What the workload writes there must outlive the agent's next look.
      updateStrategy: { type: "CreateOnly" },
      feedbackRules: pathRules(Object.fromEntries(progressKeys.map((key) => [key, `.data.${key}`]))),
    },
  ];
}

/** The ManifestWork of one run on one managed cluster: a function of its input alone. */
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
        [workLabels.attempt]: String(run.attempt),
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

/** True when the ManifestWork wants its Job suspended. */
export function isSuspended(work: KubernetesObject): boolean {
  return withSuspend(work, false) !== undefined;
}

/** The same ManifestWork with its Job suspended, or resumed; undefined when it is already so, or has no Job. */
export function withSuspend(work: KubernetesObject, suspend: boolean): KubernetesObject | undefined {
  const { spec } = work;
  const manifests: unknown = isRecord(spec) && isRecord(spec.workload) ? spec.workload.manifests : undefined;
  if (!isRecord(spec) || !isRecord(spec.workload) || !Array.isArray(manifests)) return undefined;
  const isJob = (manifest: unknown) => isRecord(manifest) && manifest.kind === "Job";
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

/**
 * True when the hub's ManifestWork kind is older than OCM API v1.0.0: an API server leaves out what the schema does
 * not know. Such a hub removes no finished work by itself, and its agents apply finished Jobs again.
 */
export function isOldManifestWork({ spec }: KubernetesObject): boolean {
  const configs: unknown = isRecord(spec) ? spec.manifestConfigs : undefined;
  return Array.isArray(configs) && !configs.some((one: unknown) => isRecord(one) && "conditionRules" in one);
}
