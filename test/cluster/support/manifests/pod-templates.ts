import * as z from "zod";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

const keyReference = z.object({ name: z.string(), key: z.string() });
const variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .object({
      configMapKeyRef: keyReference.optional(),
      fieldRef: z.object({ fieldPath: z.string() }).optional(),
    })
    .optional(),
});
const source = z.object({
  configMapRef: z.object({ name: z.string() }).optional(),
  secretRef: z.object({ name: z.string() }).optional(),
});
const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  env: z.array(variable).default([]),
  envFrom: z.array(source).default([]),
});
const podSpec = z.looseObject({
  serviceAccountName: z.string().optional(),
  automountServiceAccountToken: z.boolean(),
  containers: z.array(container),
  volumes: z
    .array(z.looseObject({ name: z.string(), configMap: z.object({ name: z.string() }).optional() }))
    .default([]),
});
const template = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()) }),
  spec: podSpec,
});

/** What the tests read of a workload that creates pods. */
export type PodTemplate = Readonly<{
  /** Name of the workload. */
  name: string;
  labels: Readonly<Record<string, string>>;
  spec: z.infer<typeof podSpec>;
}>;

const deployment = z.object({ spec: z.object({ template }) });
const cronJob = z.object({ spec: z.object({ jobTemplate: z.object({ spec: z.object({ template }) }) }) });

/** Returns the pod templates of all Deployments and CronJobs. */
export function podTemplates(objects: readonly KubernetesObject[]): readonly PodTemplate[] {
  return objects.flatMap((object): PodTemplate[] => {
    const { name } = object.metadata;
    if (object.kind === "Deployment") {
      const { metadata, spec } = deployment.parse(object).spec.template;
      return [{ name, labels: metadata.labels, spec }];
    }
    if (object.kind === "CronJob") {
      const { metadata, spec } = cronJob.parse(object).spec.jobTemplate.spec.template;
      return [{ name, labels: metadata.labels, spec }];
    }
    return [];
  });
}
