import type { KubernetesObject, ObjectMeta } from "../../kubernetes/object.ts";
import type { PrecachingSpec } from "../../precache-model/precaching-spec.ts";
import { type CheckRun, type Run, runSuffix } from "../../precache-model/work-identity.ts";
import { type contentKeys, hostPaths, workload } from "./workload-contract.ts";

/** A run or check, and what its objects on the managed cluster contain. */
export type WorkInput = Readonly<{
  run: Run | CheckRun;
  content: Partial<PrecachingSpec>;
  image: string;
  timeoutMinutes: number;
  bandwidthMbits?: number;
  parallelPulls?: number;
  /** Whether the Job is suspended. Layers that it has already pulled stay on the node. */
  suspend?: boolean;
}>;

/** The namespace of the workload's objects on the managed cluster. */
export const namespace = "openshift-talo-pre-cache";
const serviceAccount = "pre-cache-agent";
/** Other pre-caching programs delete roles by name, so the names of these roles must differ from theirs. */
const role = "hubrelay-pre-cache";
const partOf = { "app.kubernetes.io/part-of": "hubrelay" } as const;
/** With this annotation, a pod runs on the CPUs that a single-node cluster reserves for management. */
const management = {
  "target.workload.openshift.io/management": '{"effect":"PreferredDuringScheduling"}',
} as const;
const rbac = "rbac.authorization.k8s.io";

export const jobName = (run: Run | CheckRun): string => `pre-cache-${runSuffix(run)}`;
export const progressName = (run: Run | CheckRun): string => `pre-cache-progress-${runSuffix(run)}`;
const contentName = (run: Run | CheckRun): string => `pre-cache-spec-${runSuffix(run)}`;

/** Returns one text. The last entry also ends with a newline, because a shell's `read` loses a line without one. */
function lines(entries: readonly string[] = []): string {
  return entries.map((entry) => `${entry}\n`).join("");
}

function contentData(
  content: Partial<PrecachingSpec>,
): Readonly<Partial<Record<(typeof contentKeys)[number], string>>> {
  const packages = (content.operatorsPackagesAndChannels ?? []).map((entry) => {
    const [name = "", channel = "", version, ...more] = entry.split(":").map((part) => part.trim());
    return version && more.length === 0
      ? { entry: `${name}:${channel}`, pin: `${name}:${version}` }
      : { entry };
  });
  const pinned = packages.flatMap(({ pin }) => pin ?? []);
  return {
    "platform.image": content.platformImage ?? "",
    "operators.indexes": lines(content.operatorsIndexes),
    "operators.packagesAndChannels": lines([...new Set(packages.map(({ entry }) => entry))]),
    // Older admission policies refuse this key, so it is absent if no version is pinned.
    ...(pinned.length > 0 && { "operators.startingCSVs": lines(pinned) }),
    excludePrecachePatterns: lines(content.excludePrecachePatterns),
    additionalImages: lines(content.additionalImages),
    spaceRequired: content.spaceRequired ?? "",
  };
}

function permissions(run: Run | CheckRun): readonly KubernetesObject[] {
  const subjects = [{ kind: "ServiceAccount", name: serviceAccount, namespace }];
  const reader = { name: `${role}-reader`, labels: partOf };
  const progress = { name: `${role}-progress-${runSuffix(run)}`, namespace, labels: partOf };
  const apiVersion = `${rbac}/v1`;
  const grant = (kind: "ClusterRole" | "Role", metadata: ObjectMeta, rule: object): KubernetesObject => ({
    apiVersion,
    kind,
    metadata,
    rules: [rule],
  });
  const bind = (kind: "ClusterRole" | "Role", name: string, metadata: ObjectMeta): KubernetesObject => ({
    apiVersion,
    kind: metadata.namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata,
    roleRef: { apiGroup: rbac, kind, name },
    subjects,
  });
  const privileged = { name: `${role}-privileged`, namespace, labels: partOf };
  return [
    bind("ClusterRole", "system:openshift:scc:privileged", privileged),
    grant("ClusterRole", reader, {
      apiGroups: ["machineconfiguration.openshift.io"],
      resources: ["machineconfigpools", "internalreleaseimages"],
      verbs: ["get", "list"],
    }),
    bind("ClusterRole", reader.name, reader),
    grant("Role", progress, {
      apiGroups: [""],
      resources: ["configmaps"],
      resourceNames: [progressName(run)],
      verbs: ["get", "patch"],
    }),
    bind("Role", progress.name, progress),
  ];
}

/** At least 4 GiB, because `opm` may need that much. */
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
        args: "check" in run ? workload.checkArgs : workload.args,
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
        // Without a request, the pod would request as much memory as its limit: too much for a small node.
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

const coreObject = (kind: string, name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace, labels: partOf },
});

/** Returns the objects for the managed cluster, in the order in which they are applied. */
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
    coreObject("ServiceAccount", serviceAccount),
    ...permissions(run),
    { ...coreObject("ConfigMap", contentName(run)), data: contentData(content) },
    coreObject("ConfigMap", progressName(run)),
    job(input),
  ];
}
