import { describe, expect, test } from "vitest";
import { aCheckRun, aRun, release } from "../../../../test/support/precache/precache-objects.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { managedObjects, type WorkInput } from "./workload-objects.ts";

const namespace = "openshift-talo-pre-cache";
const image = "quay.io/hubrelay/precache:v1";
const suffix = "7f3a9c0d1e-f6298f";
const objectsFor = (input: Partial<WorkInput> = {}): readonly KubernetesObject[] =>
  managedObjects({ run: aRun, content: { platformImage: release }, image, timeoutMinutes: 90, ...input });
const podOf = (objects: readonly KubernetesObject[]) => Object(objects.at(-1)?.spec).template.spec;

test.for([
  { what: "first run", run: aRun, suffix },
  { what: "second attempt", run: { ...aRun, attempt: 2 }, suffix: `${suffix}-2` },
  { what: "check", run: aCheckRun, suffix: `check-${suffix}-1772586000` },
])(
  "When a $what is sent, its objects should be labelled, and share only what depends on no run",
  ({ run, suffix }) => {
    const objects = objectsFor({ run });
    const names = objects.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`);
    expect(names).toEqual([
      `v1 Namespace ${namespace}`,
      "v1 ServiceAccount pre-cache-agent",
      "rbac.authorization.k8s.io/v1 RoleBinding hubrelay-pre-cache-privileged",
      "rbac.authorization.k8s.io/v1 ClusterRole hubrelay-pre-cache-reader",
      "rbac.authorization.k8s.io/v1 ClusterRoleBinding hubrelay-pre-cache-reader",
      `rbac.authorization.k8s.io/v1 Role hubrelay-pre-cache-progress-${suffix}`,
      `rbac.authorization.k8s.io/v1 RoleBinding hubrelay-pre-cache-progress-${suffix}`,
      `v1 ConfigMap pre-cache-spec-${suffix}`,
      `v1 ConfigMap pre-cache-progress-${suffix}`,
      `batch/v1 Job pre-cache-${suffix}`,
    ]);
    for (const { kind, metadata } of objects) {
      expect(metadata.labels).toMatchObject({ "app.kubernetes.io/part-of": "hubrelay" });
      const isOfCluster = kind === "Namespace" || kind.startsWith("Cluster");
      expect(metadata.namespace).toBe(isOfCluster ? undefined : namespace);
    }
  },
);

test("When the namespace is created, privileged pods of management should be admitted there", () => {
  expect(objectsFor()[0]?.metadata).toMatchObject({
    labels: { "pod-security.kubernetes.io/enforce": "privileged" },
    annotations: { "workload.openshift.io/allowed": "management" },
  });
});

test("When rights are given, the workload's account should run privileged, read pools and releases, write its progress, nothing else", () => {
  const objects = objectsFor();
  const group = "rbac.authorization.k8s.io";
  expect(objects.flatMap(({ roleRef }) => (roleRef ? [roleRef] : []))).toEqual([
    { apiGroup: group, kind: "ClusterRole", name: "system:openshift:scc:privileged" },
    { apiGroup: group, kind: "ClusterRole", name: "hubrelay-pre-cache-reader" },
    { apiGroup: group, kind: "Role", name: `hubrelay-pre-cache-progress-${suffix}` },
  ]);
  expect(objects.flatMap(({ rules }) => (Array.isArray(rules) ? rules : []))).toEqual([
    {
      apiGroups: ["machineconfiguration.openshift.io"],
      resources: ["machineconfigpools", "internalreleaseimages"],
      verbs: ["get", "list"],
    },
    {
      apiGroups: [""],
      resources: ["configmaps"],
      resourceNames: [`pre-cache-progress-${suffix}`],
      verbs: ["get", "patch"],
    },
  ]);
  const account = { kind: "ServiceAccount", name: "pre-cache-agent", namespace };
  expect(objects.flatMap(({ subjects }) => (subjects ? [subjects] : []))).toEqual([
    [account],
    [account],
    [account],
  ]);
  expect(podOf(objects).serviceAccountName).toBe(account.name);
});

describe("the workload's pod", () => {
  const own = [
    { name: "CONFIG_VOLUME_PATH", value: "/etc/config" },
    { name: "PROGRESS_CONFIGMAP", value: `pre-cache-progress-${suffix}` },
    { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
  ];
  test.for<readonly [what: string, input: Partial<WorkInput>, env: readonly object[]]>([
    ["nothing", {}, []],
    ["a bandwidth", { bandwidthMbits: 20.9 }, [{ name: "PULL_BANDWIDTH_MBITS", value: "20" }]],
    ["a bandwidth below one Mbit/s", { bandwidthMbits: 0.5 }, [{ name: "PULL_BANDWIDTH_MBITS", value: "1" }]],
    ["a number of pulls", { parallelPulls: 3 }, [{ name: "PULL_PARALLEL", value: "3" }]],
  ])("When $0 limits it, its environment should say so", ([, input, env]) => {
    expect(podOf(objectsFor(input)).containers[0].env).toEqual([...own, ...env]);
  });

  test("When it runs, it should be root on the node, survive full nodes, and leave its last log as a message", () => {
    const pod = podOf(objectsFor());
    expect(pod).toMatchObject({ priorityClassName: "system-cluster-critical", dnsPolicy: "ClusterFirst" });
    expect(pod.containers).toMatchObject([
      {
        image,
        command: ["/bin/bash", "-c"],
        securityContext: { privileged: true, runAsUser: 0 },
        terminationMessagePolicy: "FallbackToLogsOnError",
      },
    ]);
  });

  test("When it is mounted, only the storage of images and its locks should be writable on the node", () => {
    const { containers, volumes } = podOf(objectsFor());
    type Mount = Readonly<{ name: string; mountPath: string; readOnly?: true }>;
    const mounts = containers[0].volumeMounts.map(({ name, mountPath, readOnly }: Mount) => {
      expect(name).toMatch(/^[a-z0-9][-a-z0-9]{0,62}$/);
      const { name: _name, ...source } = volumes.find((volume: Mount) => volume.name === name);
      return [mountPath, readOnly ? "read" : "write", source];
    });
    const host = (path: string, access: "read" | "write", type = "Directory") => [
      `/host${path}`,
      access,
      { hostPath: { path, type } },
    ];
    expect(mounts).toEqual([
      ["/etc/config", "read", { configMap: { name: `pre-cache-spec-${suffix}`, defaultMode: 0o644 } }],
      ["/host", "write", { emptyDir: {} }],
      host("/etc/containers", "read"),
      host("/etc/hosts", "read", "File"),
      host("/etc/kubernetes/kubelet.conf", "read", "File"),
      host("/etc/pki/ca-trust", "read"),
      host("/etc/resolv.conf", "read", "File"),
      host("/run/containers", "write"),
      host("/usr/bin", "read"),
      host("/usr/lib", "read"),
      host("/usr/lib64", "read"),
      host("/usr/libexec", "read"),
      host("/usr/share/containers", "read"),
      host("/var/lib/containers", "write"),
      host("/var/lib/kubelet/config.json", "read", "File"),
    ]);
    expect(volumes).toHaveLength(mounts.length);
  });
});
