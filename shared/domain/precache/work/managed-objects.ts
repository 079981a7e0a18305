import type { KubernetesObject } from "../../kubernetes/object.ts";
import { type Run, runSuffix } from "./work-identity.ts";
import { type contentKeys, hostPaths, workload } from "./workload.ts";

/** What is cached, as `status.precaching.spec` of a ClusterGroupUpgrade has it: strings, and GiB without unit. */
export type PrecacheContent = Readonly<{
  platformImage?: string;
  operatorsIndexes?: readonly string[];
  operatorsPackagesAndChannels?: readonly string[];
  excludePrecachePatterns?: readonly string[];
  additionalImages?: readonly string[];
  spaceRequired?: string;
}>;

/** One run with all that the objects on the managed cluster are made from. */
export type WorkInput = Readonly<{
  run: Run;
  content: PrecacheContent;
  /** The container image that pulls. */
  image: string;
  /** The Job's deadline on the managed cluster, from its start. */
  timeoutMinutes: number;
  /** Mbit/s of the cluster's link, where somebody has told. */
  bandwidthMbits?: number;
  /** How many images are pulled at a time at most, where somebody has told. */
  parallelPulls?: number;
  /** Pulls nothing for now: the Job keeps its finished layers and goes on when this is false again. */
  suspend?: boolean;
}>;

/** Where the workload runs on the managed cluster. */
export const namespace = "openshift-talo-pre-cache";
const serviceAccount = "pre-cache-agent";
/** Of the roles that every run shares; never those that another pre-caching program deletes by name. */
const role = "hubrelay-pre-cache";
const partOf = { "app.kubernetes.io/part-of": "hubrelay" } as const;
/** Workload partitioning: on a single node the pod runs on the CPUs that are set aside for management. */
const management = {
  "target.workload.openshift.io/management": '{"effect":"PreferredDuringScheduling"}',
} as const;
const rbac = "rbac.authorization.k8s.io";

export const jobName = (run: Run): string => `pre-cache-${runSuffix(run)}`;
export const progressName = (run: Run): string => `pre-cache-progress-${runSuffix(run)}`;
const contentName = (run: Run): string => `pre-cache-spec-${runSuffix(run)}`;

/** One entry a line, and a newline after the last one as well: a shell's `read` loses a line without it. */
function lines(entries: readonly string[] = []): string {
  return entries.map((entry) => `${entry}\n`).join("");
}

function contentData(content: PrecacheContent): Readonly<Record<(typeof contentKeys)[number], string>> {
  return {
    "platform.image": content.platformImage ?? "",
    "operators.indexes": lines(content.operatorsIndexes),
    "operators.packagesAndChannels": lines(content.operatorsPackagesAndChannels),
    excludePrecachePatterns: lines(content.excludePrecachePatterns),
    additionalImages: lines(content.additionalImages),
    spaceRequired: content.spaceRequired ?? "",
  };
}

/**
 * Returns what the workload may do in the managed cluster's API: run privileged and write its progress. Nothing else,
 * and never cluster-admin.
 */
function permissions(run: Run): readonly KubernetesObject[] {
  const subjects = [{ kind: "ServiceAccount", name: serviceAccount, namespace }];
  const progress = { name: `${role}-progress-${runSuffix(run)}`, namespace, labels: partOf };
  return [
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: `${role}-privileged`, namespace, labels: partOf },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "system:openshift:scc:privileged" },
      subjects,
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: progress,
      rules: [
        {
          apiGroups: [""],
          resources: ["configmaps"],
          resourceNames: [progressName(run)],
          verbs: ["get", "patch"],
        },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: progress,
      roleRef: { apiGroup: rbac, kind: "Role", name: progress.name },
      subjects,
    },
  ];
}

/** Returns what the container may take: 4 GiB for `opm` and a large catalog, and room for 256 MiB a pull. */
function memoryLimit(parallelPulls = 10): string {
  return `${Math.max(4096, 1024 + 256 * parallelPulls)}Mi`;
}

const volumeName = (path: string) => `host${path.replaceAll(/[/.]/g, "-")}`;

function podSpec({ run, image, bandwidthMbits, parallelPulls }: WorkInput) {
  const { environment, contentFolder, hostFolder } = workload;
  return {
    restartPolicy: "Never",
    serviceAccountName: serviceAccount,
    priorityClassName: "system-cluster-critical",
    dnsPolicy: "ClusterFirst",
    containers: [
      {
        name: workload.container,
        image,
        command: workload.command,
        args: workload.args,
        env: [
          { name: environment.content, value: contentFolder },
          { name: environment.progress, value: progressName(run) },
          { name: environment.namespace, valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
          ...(bandwidthMbits === undefined
            ? []
            : [{ name: environment.bandwidth, value: String(Math.max(1, Math.floor(bandwidthMbits))) }]),
          ...(parallelPulls === undefined
            ? []
            : [{ name: environment.parallel, value: String(parallelPulls) }]),
        ],
        // Without a request of its own the whole limit would be requested, for which a small node has no room.
        resources: { requests: { memory: "128Mi" }, limits: { memory: memoryLimit(parallelPulls) } },
        securityContext: { privileged: true, runAsUser: 0 },
        terminationMessagePolicy: "FallbackToLogsOnError",
        volumeMounts: [
          { name: "content", mountPath: contentFolder, readOnly: true },
          { name: "host", mountPath: hostFolder },
          ...hostPaths.map(({ path, writable }) => ({
            name: volumeName(path),
            mountPath: `${hostFolder}${path}`,
            ...(writable ? {} : { readOnly: true }),
          })),
        ],
      },
    ],
    volumes: [
      { name: "content", configMap: { name: contentName(run), defaultMode: 0o644 } },
      { name: "host", emptyDir: {} },
      ...hostPaths.map(({ path, type }) => ({ name: volumeName(path), hostPath: { path, type } })),
    ],
  };
}

function job(input: WorkInput): KubernetesObject {
  const { run, timeoutMinutes, suspend = false } = input;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: jobName(run), namespace, labels: partOf, annotations: management },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: timeoutMinutes * 60,
      suspend,
      template: { metadata: { labels: partOf, annotations: management }, spec: podSpec(input) },
    },
  };
}

/** The objects on the managed cluster, in the order in which they are applied. */
export function managedObjects(input: WorkInput): readonly KubernetesObject[] {
  const { run, content } = input;
  return [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: namespace,
        labels: { ...partOf, "pod-security.kubernetes.io/enforce": "privileged" },
        annotations: { "workload.openshift.io/allowed": "management" },
      },
    },
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: serviceAccount, namespace, labels: partOf },
    },
    ...permissions(run),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: contentName(run), namespace, labels: partOf },
      data: contentData(content),
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: progressName(run), namespace, labels: partOf },
    },
    job(input),
  ];
}
