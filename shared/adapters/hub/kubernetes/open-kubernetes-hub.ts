import type { HubError } from "../../../ports/hub.ts";
import { awsConnection } from "../../aws/aws-connection.ts";
import type { Environment } from "../../settings/environment.ts";
import type { KubeConfigLocation } from "../../settings/hub-location.ts";
import type { LoadKubeConfig } from "./credentials.ts";
import { actingAs, fileKubeConfig, inClusterKubeConfig, parseKubeConfig } from "./kube-config.ts";
import { type KubernetesHub, kubernetesHub } from "./kubernetes-hub.ts";
import type { Requested } from "./paths.ts";

const elapsedMs = () => performance.now();

/**
 * Returns a function that reads at most once per interval: repeated and concurrent calls get the same value. A failed read
 * is not cached.
 */
export function cachedRead<Value>(
  intervalMs: number,
  read: () => Promise<Value> | Value,
  now: () => number = elapsedMs,
): () => Promise<Value> {
  let last: Readonly<{ value: Promise<Value>; atMs: number }> | undefined;
  return async () => {
    if (last && now() - last.atMs < intervalMs) return last.value;
    const reading = { value: (async () => read())(), atMs: now() };
    last = reading;
    try {
      return await reading.value;
    } catch (error) {
      if (last === reading) last = undefined;
      throw error;
    }
  };
}

/** The minimum time between reads of a store, so that permanently rejected credentials cause no flood of requests. */
const storeIntervalMs = 30_000;

/** Returns the function that reads the kubeconfig. AWS clients are loaded only for a secret on AWS. */
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

/**
 * Opens the Kubernetes API of a kubeconfig, or of the pod's own cluster. A separate module, since the Kubernetes client
 * takes longer to load than the rest of a process.
 */
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
    reload: location.from === "secretsmanager" ? cachedRead(storeIntervalMs, load) : load,
    onRequest,
    onWatchError: ({ error }) => onWatchError(error),
  });
}
