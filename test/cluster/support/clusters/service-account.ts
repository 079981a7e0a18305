import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { UserAccess } from "../servers/entrance.ts";

/** A ServiceAccount of the hub and access as that account. */
export type Account = UserAccess &
  Readonly<{
    namespace: string;
    name: string;
    /** The account as RoleBindings name it. */
    subject: Readonly<{ kind: "ServiceAccount"; name: string; namespace: string }>;
    /** Creates another token for the same account. */
    newToken(): Promise<string>;
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
  const newToken = () => tokenFor(api, { name, namespace });

  const opened = await userAccess(name, { token: await newToken() });
  return { ...opened, name, namespace, subject: { kind: "ServiceAccount", name, namespace }, newToken };
}
