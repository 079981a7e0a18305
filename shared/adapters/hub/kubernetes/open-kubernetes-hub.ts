import type { KubeConfig } from "@kubernetes/client-node";
import type { HubError } from "../../../ports/hub.ts";
import { awsConnection } from "../../aws/aws-connection.ts";
import type { Environment } from "../../settings/environment.ts";
import type { KubeConfigLocation } from "../../settings/hub-location.ts";
import type { LoadKubeConfig } from "./credentials.ts";
import { actingAs, fileKubeConfig, inClusterKubeConfig, parseKubeConfig } from "./kube-config.ts";
import { type KubernetesHub, kubernetesHub } from "./kubernetes-hub.ts";
import type { Requested } from "./paths.ts";

/** Minimum time between two reads of a secret. Without it, rejected credentials would cause many reads. */
const storeIntervalMs = 30_000;

function kubeConfigLoader(location: KubeConfigLocation, environment: Environment): LoadKubeConfig {
  switch (location.from) {
    case "in-cluster":
      return () => inClusterKubeConfig(environment);
    case "file":
      return () => fileKubeConfig(location.path, location.context);
    case "secretsmanager":
      return async () => {
        const { readSecret } = await import("../../aws/secrets-manager.ts");
        const text = await readSecret(awsConnection(environment), location.secret);
        return parseKubeConfig(text, { name: `in the secret ${location.secret}`, context: location.context });
      };
  }
}

async function reloadOf({ from }: KubeConfigLocation, load: LoadKubeConfig): Promise<LoadKubeConfig> {
  if (from !== "secretsmanager") return load;
  const { LRUCache } = await import("lru-cache");
  const read = async () => load();
  const cache = new LRUCache<string, KubeConfig>({ max: 1, ttl: storeIntervalMs, fetchMethod: read });
  return () => cache.forceFetch(from);
}

/** Opens the Kubernetes API of a kubeconfig, or of the pod's own cluster. */
export async function openKubernetesHub(
  location: KubeConfigLocation,
  {
    environment,
    id,
    requestTimeoutMs,
    onWatchError = () => undefined,
    onRequest,
    actAs,
  }: Readonly<{
    environment: Environment;
    id?: string | undefined;
    requestTimeoutMs?: number;
    onWatchError?: (error: HubError) => void;
    onRequest?: ((requested: Requested) => void) | undefined;
    actAs?: string | undefined;
  }>,
): Promise<KubernetesHub> {
  const loadOwn = kubeConfigLoader(location, environment);
  const load = actAs === undefined ? loadOwn : async () => actingAs(await loadOwn(), actAs);
  return kubernetesHub(await load(), {
    ...(id ? { id } : {}),
    ...(requestTimeoutMs ? { requestTimeoutMs } : {}),
    environment,
    reload: await reloadOf(location, load),
    onRequest,
    onWatchError: ({ error }) => onWatchError(error),
  });
}
