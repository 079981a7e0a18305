import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, connect } from "#shared/adapters/hub/kubernetes/connection.ts";
import { setUpApiServer } from "./api-server.ts";
import { base64Of, type Certificate, signCertificate } from "./certificates.ts";
import { startControllerManager } from "./controller-manager.ts";
import type { Crd } from "./crds.ts";
import { type Entrance, makeEntrance } from "./entrance.ts";
import { startEtcd } from "./etcd.ts";
import { installCrds } from "./install-crds.ts";
import { kubeApiserver } from "./kubernetes-programs.ts";
import { parseMetrics, type Sample } from "./metrics.ts";
import { rawGet } from "./raw-get.ts";
import { type Account, createAccount } from "./service-account.ts";

/** A cluster for the tests, as far as its API goes: a real API server with RBAC on an etcd of its own. No nodes. */
export type TestCluster = Readonly<{
  server: string;
  /** A folder that goes with the cluster. */
  folder: string;
  /** PEM files: who vouches for the server, and with what another server on this machine can stand in for it. */
  certificates: Readonly<{ authority: string; serving: Certificate }>;
  /** Of the user `admin`, who may do everything. */
  admin: Entrance;
  /** Any request as `admin`, for what a hub's port does not know. */
  api: Connection;
  /** A kubeconfig with a token, or any other user's credentials; `port` leads to the server, if not its own. */
  entrance(name: string, user: Readonly<Record<string, unknown>>, port?: number): Promise<Entrance>;
  /** `users[].user` of a kubeconfig, with a certificate for this user in these groups. */
  certified(name: string, groups: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
  /** Creates a ServiceAccount, which may do nothing yet, with a token of its own. */
  account(name: string, namespace?: string): Promise<Account>;
  /** The file in which every request is recorded, a JSON line each. */
  auditLog: string;
  /** The API server's own counters. */
  metrics(): Promise<readonly Sample[]>;
  /** SIGKILL to the API server; etcd stays. */
  kill(): Promise<void>;
  /** Starts the API server again, after ending it in good order if it runs. */
  restart(): Promise<void>;
  /** The API server stops answering, while its connections stay open. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}>;

export type ClusterOptions = Readonly<{
  /** Installed from the beginning. */
  crds?: readonly Crd[];
  /**
   * Whether the controllers run that jobs, the deletion of namespaces and owners, and aggregated ClusterRoles need.
   * Without them a Job stays as it was created, and a deleted namespace for ever.
   */
  controllers?: boolean;
}>;

/** Starts a cluster of its own: some seconds each. */
export async function startCluster({
  crds = [],
  controllers = false,
}: ClusterOptions = {}): Promise<TestCluster> {
  await using stack = new AsyncDisposableStack();
  const program = await kubeApiserver((line) => console.log(line));
  const folder = await mkdtemp(join(tmpdir(), "hubrelay-cluster-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const etcd = await startEtcd(folder);
  stack.defer(() => etcd.end("SIGKILL"));
  const setup = await setUpApiServer(program, folder, etcd.endpoint);
  let running = await setup.start();
  stack.defer(() => running.end("SIGKILL"));

  const caData = await base64Of(setup.authority.certificate);
  const entrance: TestCluster["entrance"] = (name, user, port) => {
    const server = port ? `https://127.0.0.1:${port}` : setup.server;
    return makeEntrance(folder, { server, caData }, name, user);
  };
  const admin = await entrance("admin", { token: setup.adminToken });
  const settings = { userAgent: "hubrelay-test", requestTimeoutMs: 30_000, environment: {} };
  const api = connect(admin.kubeConfig, settings);
  stack.defer(async () => api.close());
  await installCrds(api, crds);
  if (controllers) {
    const { kubeConfigFile } = await entrance("kube-controller-manager", { token: setup.adminToken });
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
    entrance,
    async certified(name, organizations) {
      const made = await signCertificate(folder, setup.authority, name, { organizations });
      return { "client-certificate": made.certificate, "client-key": made.key };
    },
    account: (name, namespace = "default") => createAccount(api, { name, namespace }, entrance),
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
    freeze: () => running.signal("SIGSTOP"),
    thaw: () => running.signal("SIGCONT"),
    stop: () => opened.disposeAsync(),
  };
}
