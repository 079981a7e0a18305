import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { grantsOf } from "#shared/domain/kubernetes/roles.ts";
import { hubRbacManifests } from "../../../../cli/commands/doctor/checks/access-rows.ts";
import { applyHubRbac, type precachingSettings } from "../manifests/kustomize.ts";
import { untilAllowed } from "../observe/until.ts";
import type { UserAccess } from "../servers/entrance.ts";
import type { TestHub } from "./cluster.ts";

/** A ServiceAccount of the hub and access as that account. */
export type Account = UserAccess &
  Readonly<{
    namespace: string;
    name: string;
    /** The account as RoleBindings name it. */
    subject: Readonly<{ kind: "ServiceAccount"; name: string; namespace: string }>;
  }>;

const accountsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/serviceaccounts`;

/** Creates a token for an existing ServiceAccount, as a pod of it would get one. */
export async function tokenFor(
  api: Connection,
  { name, namespace }: Readonly<{ name: string; namespace: string }>,
): Promise<string> {
  const body = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 3600 },
  };
  const path = `${accountsIn(namespace)}/${name}/token`;
  const response = await api.send({ what: `create a token for ${name}`, method: "POST", path, body });
  const { status } = isRecord(response) ? response : {};
  if (isRecord(status) && typeof status.token === "string") return status.token;
  throw new Error(`the API server gave no token for ${name}`);
}

/** Creates a ServiceAccount and a token for it, as a pod of it would get one. */
export async function createAccount(
  api: Connection,
  { name, namespace }: Readonly<{ name: string; namespace: string }>,
  userAccess: (name: string, user: Readonly<Record<string, unknown>>) => Promise<UserAccess>,
): Promise<Account> {
  const manifest = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } };
  const what = `create ServiceAccount/${name}`;
  await api.send({ what, method: "POST", path: accountsIn(namespace), body: manifest });
  const opened = await userAccess(name, { token: await tokenFor(api, { name, namespace }) });
  return { ...opened, name, namespace, subject: { kind: "ServiceAccount", name, namespace } };
}

/**
 * Applies `infra/hub-rbac`, with these settings of pre-caching if any. Returns access as each of its accounts, with only
 * that account's permissions.
 */
export async function hubAccounts(
  server: TestHub,
  settings?: ReturnType<typeof precachingSettings>,
): Promise<(name: string, port?: number) => Promise<UserAccess>> {
  await applyHubRbac(server.api, settings);
  const manifests = await hubRbacManifests();
  return async (name, port) => {
    const token = await tokenFor(server.api, { namespace: "hubrelay", name });
    await untilAllowed(await server.userAccess(name, { token }), grantsOf(name, manifests));
    return server.userAccess(name, { token }, port);
  };
}

/** Applies `infra/hub-rbac`; returns HUBRELAY_HUB of each process, under its own account; `port` as in `userAccess`. */
export async function processAccounts(
  server: TestHub,
  port?: number,
): Promise<Readonly<{ forward: string; work: string; resync: string }>> {
  const userAccessOf = await hubAccounts(server);
  const open = async (name: string) => `kubeconfig:${(await userAccessOf(name, port)).kubeConfigFile}`;
  return {
    forward: await open("hubrelay-forwarder"),
    work: await open("hubrelay-mirror-config"),
    resync: await open("hubrelay-resync"),
  };
}
