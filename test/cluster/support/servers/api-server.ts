import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { succeeded } from "../../../../infra/run-program.ts";
import { freePort } from "../../../support/servers/free-port.ts";
import { rawGet } from "../observe/raw-get.ts";
import { kubeControllerManager } from "../programs/programs.ts";
import { type ServerProcess, startServer } from "../programs/server-process.ts";
import { type Certificate, makeAuthority, signCertificate } from "./certificates.ts";

/** The setup of an API server in the tests; address, keys and tokens stay the same when it restarts. */
export type ApiServerSetup = Readonly<{
  server: string;
  authority: Certificate;
  /** The serving certificate: for this machine, on any port. */
  serving: Certificate;
  /** May do everything. */
  adminToken: string;
  /** The file that records every request, one JSON object a line. */
  auditLog: string;
  start(): Promise<ServerProcess>;
}>;

const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    // The server's own requests.
    { level: "None", users: ["system:apiserver"] },
    { level: "Metadata" },
  ],
};

/** Sets up an API server with RBAC over an etcd, on a loopback port of its own; it is not started yet. */
export async function setUpApiServer(
  program: string,
  folder: string,
  etcdEndpoint: string,
  checksOwners: boolean,
): Promise<ApiServerSetup> {
  const port = await freePort();
  const server = `https://127.0.0.1:${port}`;
  const path = (name: string) => join(folder, name);
  const authority = await makeAuthority(folder, "authority");
  const serving = await signCertificate(folder, authority, "kube-apiserver", {
    hosts: ["127.0.0.1", "localhost"],
  });
  await succeeded(
    "openssl",
    ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", path("accounts.key")],
    { cwd: folder },
  );
  const adminToken = randomBytes(24).toString("hex");
  await writeFile(path("tokens.csv"), `${adminToken},admin,admin,system:masters\n`);
  await writeFile(path("audit-policy.json"), JSON.stringify(auditPolicy));

  const auditLog = path("audit.log");
  const args = [
    `--etcd-servers=${etcdEndpoint}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${serving.certificate}`,
    `--tls-private-key-file=${serving.key}`,
    `--client-ca-file=${authority.certificate}`,
    `--token-auth-file=${path("tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${path("accounts.key")}`,
    `--service-account-signing-key-file=${path("accounts.key")}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    // There are no pods, and no controller that would create the account's token for them.
    "--disable-admission-plugins=ServiceAccount",
    ...(checksOwners ? ["--enable-admission-plugins=OwnerReferencesPermissionEnforcement"] : []),
    // As on OpenShift, where security context constraints apply.
    "--allow-privileged=true",
    "--endpoint-reconciler-type=none",
    `--audit-policy-file=${path("audit-policy.json")}`,
    `--audit-log-path=${auditLog}`,
    "--audit-log-mode=blocking",
    "--profiling=false",
    "--v=1",
  ];

  const ca = await readFile(authority.certificate);
  const isReady = () =>
    rawGet(`${server}/readyz`, { ca, token: adminToken }).then(
      ({ status }) => status === 200,
      () => false, // not listening yet
    );

  return {
    server,
    authority,
    serving,
    adminToken,
    auditLog,
    start: () => startServer(program, args, { log: path("kube-apiserver.log"), isReady }),
  };
}

export type Etcd = ServerProcess & Readonly<{ endpoint: string }>;

/** Starts an etcd with an empty store in `folder`; nothing is synced to disk, since test data need not survive. */
export async function startEtcd(folder: string): Promise<Etcd> {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const peers = `http://127.0.0.1:${await freePort()}`;
  const args = [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${endpoint}`,
    `--advertise-client-urls=${endpoint}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
    "--unsafe-no-fsync",
    "--log-level=warn",
  ];
  const isReady = () =>
    fetch(`${endpoint}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  const process = await startServer("etcd", args, { log: join(folder, "etcd.log"), isReady });
  return { ...process, endpoint };
}

/** The controllers that the tests need; the others would only cost time. */
const controllers = [
  "clusterrole-aggregation-controller",
  "garbage-collector-controller",
  "job-controller",
  "namespace-controller",
  "ttl-after-finished-controller",
];

/** Starts kube-controller-manager and waits until the aggregated ClusterRole `admin` has rules. */
export async function startControllerManager(
  api: Connection,
  folder: string,
  kubeConfigFile: string,
): Promise<ServerProcess> {
  const program = await kubeControllerManager((line) => console.log(line));
  const args = [
    `--kubeconfig=${kubeConfigFile}`,
    `--controllers=${controllers.join(",")}`,
    "--leader-elect=false",
    "--secure-port=0",
    "--v=1",
  ];
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/admin";
  const isReady = async () => {
    const role = await api.send({ what: "get ClusterRole/admin", method: "GET", path });
    return isRecord(role) && Array.isArray(role.rules) && role.rules.length > 0;
  };
  return startServer(program, args, { log: join(folder, "kube-controller-manager.log"), isReady });
}
