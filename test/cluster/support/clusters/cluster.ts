import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, connect } from "#shared/adapters/hub/kubernetes/connection.ts";
import { type Crd, hubCrds, installCrds, openshiftCrds } from "../manifests/crds.ts";
import { parseMetrics, rawGet, type Sample } from "../observe/raw-get.ts";
import { kubeApiserver } from "../programs/programs.ts";
import { setUpApiServer, startControllerManager, startEtcd } from "../servers/api-server.ts";
import { base64Of, type Certificate, signCertificate } from "../servers/certificates.ts";
import { createUserAccess, type UserAccess } from "../servers/entrance.ts";
import { type Account, createAccount } from "./service-account.ts";

/** A cluster for the tests, API only: a real API server with RBAC on an etcd of its own. No nodes. */
export type TestCluster = Readonly<{
  server: string;
  /** A folder that is removed with the cluster. */
  folder: string;
  /** PEM files: the authority of the server, and the certificate and key for a stand-in server on this machine. */
  certificates: Readonly<{ authority: string; serving: Certificate }>;
  /** For the user `admin`, who may do everything. */
  admin: UserAccess;
  /** Any request as `admin`, including requests that a hub's port does not have. */
  api: Connection;
  /** Creates a kubeconfig with a token or other credentials; `port` is that of a proxy, if not the server's own. */
  userAccess(name: string, user: Readonly<Record<string, unknown>>, port?: number): Promise<UserAccess>;
  /** Creates `users[].user` of a kubeconfig, with a certificate for this user in these groups. */
  certified(name: string, groups: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
  /** Creates a ServiceAccount without permissions, and a token for it. */
  account(name: string, namespace?: string): Promise<Account>;
  /** The file that records every request, one JSON object a line. */
  auditLog: string;
  /** Reads the API server's own counters. */
  metrics(): Promise<readonly Sample[]>;
  /** Sends SIGKILL to the API server; etcd stays. */
  kill(): Promise<void>;
  /** Starts the API server again, after a graceful shutdown if it runs. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}>;

export type ClusterOptions = Readonly<{
  /** CRDs that are installed at the start. */
  crds?: readonly Crd[];
  /**
   * Whether the controllers run that jobs, the deletion of namespaces and owners, and aggregated ClusterRoles need.
   * Without them a Job stays as it was created, and a namespace is never removed.
   */
  controllers?: boolean;
  /** Whether a client that sets an owner reference must be allowed to delete the object, as on OpenShift. */
  checksOwners?: boolean;
}>;

/** Starts a cluster of its own, which takes some seconds. */
export async function startCluster({
  crds = [],
  controllers = false,
  checksOwners = true,
}: ClusterOptions = {}): Promise<TestCluster> {
  await using stack = new AsyncDisposableStack();
  const program = await kubeApiserver((line) => console.log(line));
  const { path: folder } = stack.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-cluster-")));
  const etcd = await startEtcd(folder);
  stack.defer(() => etcd.end("SIGKILL"));
  const setup = await setUpApiServer(program, folder, etcd.endpoint, checksOwners);
  let running = await setup.start();
  stack.defer(() => running.end("SIGKILL"));

  const caData = await base64Of(setup.authority.certificate);
  const userAccess: TestCluster["userAccess"] = (name, user, port) => {
    const server = port ? `https://127.0.0.1:${port}` : setup.server;
    return createUserAccess(folder, { server, caData }, name, user);
  };
  const admin = await userAccess("admin", { token: setup.adminToken });
  const settings = { userAgent: "hubrelay-test", requestTimeoutMs: 30_000, environment: {} };
  const api = connect(admin.kubeConfig, settings);
  stack.defer(async () => api.close());
  await installCrds(api, crds);
  if (controllers) {
    const { kubeConfigFile } = await userAccess("kube-controller-manager", { token: setup.adminToken });
    const manager = await startControllerManager(api, folder, kubeConfigFile);
    stack.defer(() => manager.end("SIGKILL"));
  }

  const opened = stack.move();
  return {
    server: setup.server,
    folder,
    certificates: { authority: setup.authority.certificate, serving: setup.serving },
    admin,
    api,
    userAccess,
    async certified(name, organizations) {
      const made = await signCertificate(folder, setup.authority, name, { organizations });
      return { "client-certificate": made.certificate, "client-key": made.key };
    },
    account: (name, namespace = "default") => createAccount(api, { name, namespace }, userAccess),
    auditLog: setup.auditLog,
    async metrics() {
      const ca = await readFile(setup.authority.certificate);
      const { text } = await rawGet(`${setup.server}/metrics`, { ca, token: setup.adminToken });
      return parseMetrics(text);
    },
    kill: () => running.end("SIGKILL"),
    async restart() {
      await running.end("SIGTERM");
      running = await setup.start();
    },
    stop: () => opened.disposeAsync(),
  };
}

/** A cluster with the CRDs of a hub: OpenShift's, HyperShift's (with their CEL rules) and OCM's. */
export type TestHub = TestCluster;

/** Starts a hub of its own for the tests of a file, which takes some seconds. */
export const startHub = async (options: Pick<ClusterOptions, "checksOwners"> = {}): Promise<TestHub> =>
  startCluster({ ...options, crds: await hubCrds() });

/**
 * Starts an API server that stands in for the guest cluster of a HostedCluster: OpenShift's CRDs, no controllers, no
 * agent. `admin.kubeConfigFile` is what HyperShift would publish as the cluster's kubeconfig.
 */
export const aGuestCluster = async (): Promise<TestCluster> => startCluster({ crds: await openshiftCrds() });
