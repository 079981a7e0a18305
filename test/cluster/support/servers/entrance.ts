import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";

/** Access to a hub: the kubeconfig and its file. */
export type UserAccess = Readonly<{ kubeConfig: KubeConfig; kubeConfigFile: string; token: string }>;

/** Writes a kubeconfig for a user (as its `users[].user`) of a server, and opens it. */
export async function createUserAccess(
  folder: string,
  cluster: Readonly<{ server: string; caData: string }>,
  name: string,
  user: Readonly<Record<string, unknown>>,
): Promise<UserAccess> {
  const { server, caData } = cluster;
  const kubeConfigFile = join(folder, `${name}.kubeconfig`);
  await writeFile(
    kubeConfigFile,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "hub", cluster: { server, "certificate-authority-data": caData } }],
      users: [{ name, user }],
      contexts: [{ name: "hub", context: { cluster: "hub", user: name } }],
      "current-context": "hub",
    }),
  );
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(kubeConfigFile);
  return { kubeConfig, kubeConfigFile, token: String(user.token ?? "") };
}
