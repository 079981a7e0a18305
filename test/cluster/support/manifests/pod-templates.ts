import { onTestFinished } from "vitest";
import * as z from "zod";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { commandFile } from "../../../support/processes/command-file.ts";
import { compileCache } from "../../../support/processes/deployment.ts";
import { type LoggingProcess, startLogging } from "../../../support/processes/process-lines.ts";
import type { TestCluster } from "../clusters/cluster.ts";
import { tokenFor } from "../clusters/service-account.ts";

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

const settings = z.object({ data: z.record(z.string(), z.string()) });

/** The values of a ConfigMap or Secret of the rendered objects; throws when it is not among them. */
export function valuesOf(
  objects: readonly KubernetesObject[],
  kind: "ConfigMap" | "Secret",
  name: string,
): Readonly<Record<string, string>> {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`${kind} ${name} is named, but not there`);
  const { data } = settings.parse(found);
  if (kind === "ConfigMap") return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
}

/**
 * Returns the environment that a kubelet gives to the first container of a pod: `envFrom`, then `env` in its order,
 * with `$(NAME)` of earlier `env` entries. Throws when a referenced object or key does not exist. What names the pod is left
 * out: no kubelet has made one.
 */
export function environmentOf(
  { name, spec }: PodTemplate,
  objects: readonly KubernetesObject[],
): Readonly<Record<string, string>> {
  const [container] = spec.containers;
  if (!container) throw new Error(`${name} has no container`);
  const general = container.envFrom.map(({ configMapRef, secretRef }) => {
    if (configMapRef) return valuesOf(objects, "ConfigMap", configMapRef.name);
    if (secretRef) return valuesOf(objects, "Secret", secretRef.name);
    throw new Error(`${name} takes its environment from nothing`);
  });
  const own: Record<string, string> = {};
  for (const { name: variable, value = "", valueFrom } of container.env) {
    if (valueFrom?.fieldRef) continue;
    const reference = valueFrom?.configMapKeyRef;
    const taken = reference ? valuesOf(objects, "ConfigMap", reference.name)[reference.key] : value;
    if (taken === undefined) throw new Error(`${variable} of ${name} is not in its ConfigMap`);
    own[variable] = taken.replace(/\$\((\w+)\)/g, (text, known: string) => own[known] ?? text);
  }
  return { ...Object.assign({}, ...general), ...own };
}

/** Where the overlay sqs-endpoint has its queues. */
const queueServer = "https://sqs.example.com";

/** The embedded topic that pods of a test publish to. */
export const topicName = "outcomes";

/**
 * Starts what a kubelet would start for a pod of a workload of an overlay, as its objects were applied to the cluster, until
 * the test ends: under the pod's own account, with the queues and the topic of the test, by default of this version:
 * `command` is the file of another one's.
 */
export async function startPod(
  workload: string,
  {
    objects,
    server,
    endpoint,
    command = commandFile,
    settings = {},
  }: Readonly<{
    objects: readonly KubernetesObject[];
    server: TestCluster;
    endpoint: string;
    command?: string;
    settings?: Readonly<Record<string, string>>;
  }>,
): Promise<LoggingProcess> {
  const template = podTemplates(objects).find(({ name }) => name === workload);
  if (!template) throw new Error(`${workload} is not in the overlay`);
  const account = template.spec.serviceAccountName ?? "";
  const token = await tokenFor(server.api, { namespace: "hubrelay", name: account });
  const { kubeConfigFile } = await server.userAccess(account, { token });
  const environment = Object.entries(environmentOf(template, objects)).map(([name, value]) => [
    name,
    value.replaceAll(queueServer, endpoint),
  ]);
  const started = startLogging(command, template.spec.containers[0]?.args ?? [], {
    ...Object.fromEntries(environment),
    HUBRELAY_OUTCOME_TOPIC_ARN: `arn:aws:sns:us-east-1:000000000000:${topicName}`,
    ...settings,
    ...compileCache,
    PATH: process.env.PATH ?? "",
    HUBRELAY_HUB: `kubeconfig:${kubeConfigFile}`,
    HUBRELAY_PORT: "0",
  });
  onTestFinished(async () => {
    await started.end("SIGKILL");
  });
  return started;
}
