import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { collectionPath, objectPath } from "#shared/adapters/hub/kubernetes/paths.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { listenOnFreePort } from "./free-port.ts";

/** A Kubernetes API with fixed objects, and the file of its kubeconfig. */
export type ReadOnlyApi = Readonly<{ kubeConfigFile: string; stop(): void }>;

/** Serves what the hub holds now, without TLS: reads and lists only. */
export async function startReadOnlyApi(hub: HubReader, kubeConfigFile: string): Promise<ReadOnlyApi> {
  const bodies = new Map<string | undefined, string>();
  for (const kind of Object.values(kinds)) {
    const items = await hub.list(kind);
    const list = {
      apiVersion: kind.apiVersion,
      kind: `${kind.kind}List`,
      metadata: { resourceVersion: "1" },
    };
    bodies.set(collectionPath(kind), JSON.stringify({ ...list, items }));
    for (const item of items) bodies.set(objectPath(kind, item.metadata), JSON.stringify(item));
  }
  const absent = JSON.stringify({ kind: "Status", status: "Failure", code: 404, reason: "NotFound" });
  const server = createServer(({ url = "/" }, response) => {
    const body = bodies.get(new URL(url, "http://hub").pathname);
    response.writeHead(body ? 200 : 404, { "content-type": "application/json" }).end(body ?? absent);
  });
  const port = await listenOnFreePort(server);
  const cluster = { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "hub",
    contexts: [{ name: "hub", context: { cluster: "hub", user: "bench" } }],
    clusters: [{ name: "hub", cluster }],
    users: [{ name: "bench", user: { token: "bench" } }],
  };
  await writeFile(kubeConfigFile, JSON.stringify(config));
  return {
    kubeConfigFile,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
