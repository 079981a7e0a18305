import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { collectionPath } from "#shared/adapters/hub/kubernetes/paths.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { workLabels } from "#shared/domain/precache-model/work-identity.ts";
import { kubeConfigAt } from "./memory-api.ts";

/** Objects of one kind. `object` returns the object at `index` as it is after `change` changes. */
export type ChangingKind = Readonly<{
  kind: Kind;
  count: number;
  object(index: number, change: number): Pick<KubernetesObject, "metadata">;
}>;

/** A server of the Kubernetes API with many objects, which the benchmark changes. */
export type ChangeServer = Readonly<{
  kubeConfig: string;
  /** Sends this many changes, alternating between the kinds, as fast as the clients read them. */
  change(count: number): Promise<void>;
  stop(): void;
}>;

const uidOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;

/** Starts a server that lists objects of these kinds in pages and sends their changes to watches. */
export async function startChangeServer(changing: readonly ChangingKind[]): Promise<ChangeServer> {
  const watches = new Map(changing.map((one) => [one, Promise.withResolvers<ServerResponse>()]));
  const changes = new Map<ChangingKind, number>();
  let version = 1_000_000;

  const stored = ({ kind, object }: ChangingKind, index: number, change: number, resourceVersion: number) => {
    const { metadata, ...rest } = object(index, change);
    return {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { uid: uidOf(index), resourceVersion: String(resourceVersion), ...metadata },
      ...rest,
    };
  };

  const server = createServer(({ url = "/" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://hub");
    const found = changing.find(({ kind }) => collectionPath(kind) === pathname);
    response.writeHead(200, { "content-type": "application/json" });
    if (searchParams.has("watch")) {
      response.flushHeaders();
      if (found) watches.get(found)?.resolve(response);
      return;
    }
    const total = found?.count ?? 0;
    const from = Number(searchParams.get("continue") ?? 0);
    const to = Math.min(total, from + Number(searchParams.get("limit") ?? total));
    const items = found
      ? Array.from({ length: to - from }, (_, index) => stored(found, from + index, 0, from + index + 1))
      : [];
    const more = to < total ? { continue: String(to) } : {};
    response.end(JSON.stringify({ metadata: { resourceVersion: "900000", ...more }, items }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;

  return {
    kubeConfig: kubeConfigAt(`http://127.0.0.1:${port}`),
    async change(count) {
      for (let sent = 0; sent < count; sent++) {
        const one = changing[sent % changing.length];
        if (!one) throw new Error("nothing can change");
        const watch = await watches.get(one)?.promise;
        const change = (changes.get(one) ?? 0) + 1;
        changes.set(one, change);
        const object = stored(one, change % one.count, change, ++version);
        if (watch?.write(`${JSON.stringify({ type: "MODIFIED", object })}\n`) === false)
          await once(watch, "drain");
      }
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** MachineConfigs that have only metadata. A hub has many of them, and no function needs their changes. */
export const machineConfigs = (count: number): ChangingKind => ({
  kind: kinds.MachineConfig,
  count,
  object: (index) => ({
    metadata: {
      name: `rendered-worker-${String(index).padStart(32, "0")}`,
      annotations: {
        "machineconfiguration.openshift.io/release-image-version": "4.20.3",
        padding: "x".repeat(500),
      },
    },
  }),
});

/** ManifestWorks of pre-caching with a status from an agent. The forwarder reads them completely. */
export const manifestWorks = (count: number): ChangingKind => ({
  kind: kinds.ManifestWork,
  count,
  object: (index) => ({
    metadata: {
      namespace: `cluster-${index % 3_500}`,
      name: `hubrelay-precache-${index}`,
      labels: {
        [workLabels.cgu]: `upgrade-${index % 30}`,
        [workLabels.cguNamespace]: "fleet",
        [workLabels.revision]: "abcdef123456",
        [workLabels.attempt]: "1",
      },
    },
    spec: { workload: { manifests: [{ apiVersion: "batch/v1", kind: "Job", padding: "x".repeat(2_500) }] } },
    status: { resourceStatus: { manifests: [{ padding: "x".repeat(1_500) }] } },
  }),
});

/** ManagedClusters whose status changes, as with each heartbeat. The forwarder sends no message for such a change. */
export const managedClusters = (count: number): ChangingKind => ({
  kind: kinds.ManagedCluster,
  count,
  object: (index, change) => ({
    metadata: { name: `cluster-${index}`, labels: { site: `site-${index % 40}` } },
    spec: { hubAcceptsClient: true },
    status: {
      version: { kubernetes: "v1.33.2" },
      allocatable: { cpu: String(change), memory: `${change}Ki`, padding: "x".repeat(2_000) },
    },
  }),
});

/** HostedClusters whose status changes. The forwarder sends a message for each change. */
export const hostedClusters = (count: number): ChangingKind => ({
  kind: kinds.HostedCluster,
  count,
  object: (index) => ({ metadata: { namespace: "clusters", name: `hosted-${index}`, generation: 1 } }),
});
