import type { Access } from "#shared/domain/kubernetes/access.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import { createManifest, replaceStatus } from "../manifests/apply-manifests.ts";
import { untilAllowed } from "../observe/until.ts";
import type { ServerProcess } from "../programs/server-process.ts";
import { agentAccount, hubRoles, managedClusterCrds, managedClusterRoles } from "../servers/klusterlet.ts";
import { startWorkAgent } from "../servers/work-agent.ts";
import { startCluster, type TestCluster, type TestHub } from "./cluster.ts";
import { tokenFor } from "./service-account.ts";

/** A cluster that OCM manages, with the real work agent between it and the hub. */
export type ManagedCluster = TestCluster &
  Readonly<{
    /** Name of its ManagedCluster on the hub, and of its namespace there. */
    name: string;
    /** Stops its agent, as when the cluster is off or disconnected. Its objects on the hub stay as they are. */
    disconnect(): Promise<void>;
    /** Starts its agent again. */
    reconnect(): Promise<void>;
  }>;

/** The fields of its ManagedCluster. */
export type ManagedClusterOptions = Readonly<{
  labels?: Readonly<Record<string, string>>;
  /** The cluster's claims: values by the claims' names. */
  claims?: Readonly<Record<string, string>>;
}>;

const aNamespace = (name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
});

/** Creates an object that other managed clusters may have created already. */
async function createIfMissing({ api }: TestCluster, object: KubernetesObject): Promise<void> {
  await createManifest(api, object).catch((error: unknown) => {
    if (!(error instanceof HubError && error.code === "AlreadyExists")) throw error;
  });
}

/** A condition of a ManagedCluster as OCM's registration sets it. */
const condition = (type: string, reason: string) => ({
  type,
  status: "True",
  reason,
  message: `${reason} in a test`,
  lastTransitionTime: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
});

/** What registration creates on the hub: the accepted ManagedCluster, its namespace and its agent's roles. */
async function register(
  hub: TestHub,
  name: string,
  { labels = {}, claims = {} }: ManagedClusterOptions,
): Promise<void> {
  const managedCluster = {
    apiVersion: "cluster.open-cluster-management.io/v1",
    kind: "ManagedCluster",
    metadata: { name, labels },
    spec: { hubAcceptsClient: true, leaseDurationSeconds: 60 },
  };
  const created = await createManifest(hub.api, managedCluster);
  const conditions = [
    condition("HubAcceptedManagedCluster", "HubClusterAdminAccepted"),
    condition("ManagedClusterJoined", "ManagedClusterJoined"),
    condition("ManagedClusterConditionAvailable", "ManagedClusterAvailable"),
  ];
  const clusterClaims = Object.entries(claims).map(([claim, value]) => ({ name: claim, value }));
  await replaceStatus(hub.api, { ...created, status: { conditions, clusterClaims } });
  for (const object of [aNamespace(name), ...(await hubRoles(name))]) await createIfMissing(hub, object);
}

const work = { group: "work.open-cluster-management.io" };
/** One permission of each of the agent's roles on the hub and on the cluster. */
const onHub: readonly Access[] = [
  { ...work, verb: "list", resource: "manifestworks" },
  { group: "", verb: "create", resource: "events" },
];
const onCluster: readonly Access[] = [
  { ...work, verb: "create", resource: "appliedmanifestworks" },
  { group: "", verb: "create", resource: "namespaces" },
  // These come from two roles that a controller collects from others, a while after they are created.
  { group: "", verb: "get", resource: "namespaces" },
  { group: "", verb: "create", resource: "serviceaccounts" },
  { group: "batch", verb: "create", resource: "jobs" },
  { group: "rbac.authorization.k8s.io", verb: "escalate", resource: "roles" },
];

/** The agent's access to the hub: a certificate, as registration obtains it from the hub. */
async function hubAccess(hub: TestHub, name: string): Promise<string> {
  const group = `system:open-cluster-management:${name}`;
  const user = await hub.certified(`${group}:${name}-agent`, [group, "system:open-cluster-management"]);
  const access = await hub.userAccess(`${name}-agent`, user);
  await untilAllowed(
    access,
    onHub.map((permission) => ({ ...permission, namespace: name })),
  );
  return access.kubeConfigFile;
}

/** The agent's access to the managed cluster. */
async function clusterAccess(cluster: TestCluster): Promise<string> {
  const access = await cluster.userAccess("work-agent", { token: await tokenFor(cluster.api, agentAccount) });
  await untilAllowed(access, onCluster);
  return access.kubeConfigFile;
}

/**
 * Starts a cluster that the hub manages: an API server of its own, the controllers that Jobs and namespaces need, and
 * OCM's work agent, with OCM's permissions on both sides. A ManifestWork in the hub's namespace `name` is applied there
 * within about a second. Starting takes some ten seconds; `stop` it before the hub. There are no nodes: `kubelet.ts`
 * ends the pods of a Job.
 */
export async function startManagedCluster(
  hub: TestHub,
  name: string,
  options: ManagedClusterOptions = {},
): Promise<ManagedCluster> {
  await using stack = new AsyncDisposableStack();
  const cluster = await startCluster({ crds: await managedClusterCrds(), controllers: true });
  stack.defer(() => cluster.stop());
  for (const object of [aNamespace(agentAccount.namespace), ...(await managedClusterRoles())])
    await createManifest(cluster.api, object);
  await register(hub, name, options);
  const agentOptions = {
    cluster: name,
    folder: cluster.folder,
    hub: await hubAccess(hub, name),
    managedCluster: await clusterAccess(cluster),
  };
  let agent: ServerProcess = await startWorkAgent(agentOptions);
  stack.defer(() => agent.end("SIGKILL"));
  const opened = stack.move();
  return {
    ...cluster,
    name,
    disconnect: () => agent.end("SIGKILL"),
    async reconnect() {
      await agent.end("SIGKILL");
      agent = await startWorkAgent(agentOptions);
    },
    stop: () => opened.disposeAsync(),
  };
}
