import { readFile } from "node:fs/promises";
import type { KubeConfig } from "@kubernetes/client-node";
import { serverOf } from "./credentials.ts";

/**
 * Returns a kubeconfig, as text, with the cluster of another one's current context and this token as the only login. It
 * refers to no file. Throws `EnvironmentError` where the other one has no usable cluster.
 */
export async function tokenKubeconfig(config: KubeConfig, user: string, token: string): Promise<string> {
  serverOf(config);
  const { server, caData, caFile, skipTLSVerify, tlsServerName, proxyUrl } = config.getCurrentCluster() ?? {};
  const authority = caData ?? (caFile && (await readFile(caFile)).toString("base64"));
  const cluster = {
    server,
    ...(authority ? { "certificate-authority-data": authority } : {}),
    ...(skipTLSVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(tlsServerName ? { "tls-server-name": tlsServerName } : {}),
    ...(proxyUrl ? { "proxy-url": proxyUrl } : {}),
  };
  const name = "hub";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user } }],
    "current-context": name,
  });
}
