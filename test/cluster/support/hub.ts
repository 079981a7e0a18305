import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, connect } from "#shared/adapters/kubernetes-hub/connection.ts";
import { setUpApiServer } from "./api-server.ts";
import { base64Of } from "./certificates.ts";
import { publishedCrds } from "./crds.ts";
import { type Entrance, makeEntrance } from "./entrance.ts";
import { startEtcd } from "./etcd.ts";
import { installCrds } from "./install-crds.ts";
import { kubeApiserver } from "./kube-apiserver.ts";
import { parseMetrics, type Sample } from "./metrics.ts";
import { rawGet } from "./raw-get.ts";
import { type Account, createAccount } from "./service-account.ts";

/** A real API server with RBAC, an etcd and the CRDs of a hub, for the tests. */
export type TestHub = Readonly<{
  server: string;
  /** A folder that goes with the hub. */
  folder: string;
  /** Of the user `admin`, who may do everything. */
  admin: Entrance;
  /** Any request as `admin`, for what the hub's port does not know. */
  api: Connection;
  /** A kubeconfig with a token, or any other user's credentials; `port` leads to the server, if not its own. */
  entrance(name: string, user: Readonly<Record<string, unknown>>, port?: number): Promise<Entrance>;
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

/** Starts a hub of its own for the tests of a file: some seconds each. */
export async function startHub(): Promise<TestHub> {
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
  const entrance: TestHub["entrance"] = (name, user, port) => {
    const server = port ? `https://127.0.0.1:${port}` : setup.server;
    return makeEntrance(folder, { server, caData }, name, user);
  };
  const admin = await entrance("admin", { token: setup.adminToken });
  const settings = { userAgent: "hubrelay-test", requestTimeoutMs: 30_000, environment: {} };
  const api = connect(admin.kubeConfig, settings);
  stack.defer(async () => api.close());
  await installCrds(api, await publishedCrds());

  const opened = stack.move();
  return {
    server: setup.server,
    folder,
    admin,
    api,
    entrance,
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
